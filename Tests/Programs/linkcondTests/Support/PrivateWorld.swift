// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

/// A place where every process, and every file in /tmp and /run, is the test's: nothing that is left escapes it.
enum PrivateWorld {
    static let isAvailable = (try? Program.start(entry + ["true"]).status) == 0
    static let need: Comment = "needs a process namespace"

    /// Runs there the scripts and then the call in Python, which fails by `fail()`; as the first process, Python
    /// inherits the children of processes that end. `program` is another one that they can use: /tmp/program.
    @discardableResult
    static func check(_ caller: Caller, _ script: String, _ call: String, limit: Int = HangLimit.seconds) throws
        -> CommandResult
    {
        try check(caller, [script], call, limit: limit)
    }

    @discardableResult
    static func check(
        _ caller: Caller,
        _ scripts: [String],
        _ call: String,
        program: String? = nil,
        limit: Int = HangLimit.seconds
    ) throws -> CommandResult {
        let words = caller.words.map { "'\($0)'" }.joined(separator: ", ")
        let texts = (["private-world.py", "terminal.py"] + scripts).map { Script($0).text }
        let text = (["CALLER = [\(words)]"] + texts + [call, "conclude()"]).joined(separator: "\n")
        let arguments = [text + "\n", program ?? "/dev/null"]
        let result = try Program.start(entry + ["sh", "-c", way, "sh"] + arguments, limit: limit)
        try result.requireSuccess()
        try result.requireVerdict()
        return result
    }

    private static let entry =
        (Kernel.isRoot ? ["unshare"] : ["unshare", "-r"]) + ["-mpf", "--mount-proc", "--kill-child"]

    /// The programs are opened first: they may lie in the /tmp that is covered.
    private static let way = """
        exec 3<"$LINKCOND" 4<"$2" &&
        mount -t tmpfs -o mode=1777 none /tmp && mount -t tmpfs -o mode=755 none /run &&
        cat <&3 >/tmp/linkcond && cat <&4 >/tmp/program && chmod 755 /tmp/linkcond /tmp/program &&
        exec 3<&- 4<&- && exec /usr/bin/python3 -c "$1"
        """
}

extension CommandResult {
    /// Ends the test without a verdict if a script says that the machine was too busy for one.
    func requireVerdict() throws {
        for line in lines {
            if let reason = line.wholeMatch(of: /inconclusive: (.*)/)?.1 { try endInconclusively("\(reason)") }
        }
    }
}
