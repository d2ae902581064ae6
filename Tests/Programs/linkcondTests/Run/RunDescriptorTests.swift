// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

/// What a command is given open, and its signals: the same as without `run`, with no process between it and a pipe's end.
@Suite(.enabled(if: Kernel.hasSandboxes, "needs namespaces for network and mounts"))
struct RunDescriptorTests {
    @Test(arguments: Caller.all, ["", "<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
    func hasTheDescriptorsThatWereOpen(caller: Caller, closing: String) throws {
        let list = #"sh -c 'find /proc/$$/fd -type l -printf "%f %l\n" >&9; true'"#
        let answers = try Installation(for: caller).compare(list, setUp: "exec 7</etc/passwd \(closing)")
        #expect(answers.plain == answers.wrapped)
        #expect(answers.plain.contains("7 /etc/passwd\n"))
        #expect(answers.plain.hasPrefix("0 ") != closing.contains("<&-"))
    }

    /// To look the user up, others are asked through pipes: none may take a closed stream's place.
    @Test(
        .enabled(if: Kernel.isRoot, "needs root, to become nobody"),
        arguments: ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"]
    )
    func canBecomeAnotherUserWithClosedStreams(closing: String) throws {
        let line = "\(#""$LINKCOND" run --offline --user nobody --"#) sh -c 'id -un >&9'"
        let outcome = try Installation(for: .tester).shell("exec 9>&1; \(line) \(closing)")
        #expect(outcome.output == "nobody\n", "\(outcome)")
    }

    @Test(
        arguments: Caller.all,
        [
            ("", "SigBlk:\t0000000000000000\nSigIgn:\t0000000"),
            (#"sh -c 'trap "" INT PIPE; exec "$@"' sh"#, "0001002\nSigCgt"),
            ("env --ignore-signal=HUP,QUIT,CHLD,TTOU,USR1", "0210205\nSigCgt"),
            ("env --block-signal=USR1,TERM,INT,CHLD", "SigBlk:\t0000000000014202\nSigIgn"),
        ]
    )
    func hasItsSignalsAsTheyWere(caller: Caller, start: (prefix: String, line: String)) throws {
        let answers = try Installation(for: caller)
            .compare("grep -E '^(Sig(Blk|Ign|Cgt)|ShdPnd):' /proc/self/status", prefix: start.prefix)
        #expect(answers.plain == answers.wrapped)
        #expect(answers.plain.contains(start.line))
    }

    @Test(arguments: Caller.all)
    func readsItsInputToTheEnd(caller: Caller) throws {
        let files = try TemporaryDirectory()
        let file = "\(files.path)/file"
        try Program.shell("head -c 1048576 /dev/urandom > \(file)").requireSuccess()
        try Installation(for: caller).shell("cat \(file) | \(Installation.run) cmp - \(file)").requireSuccess()
    }

    @Test(arguments: Caller.all)
    func endsWithAReaderThatGoes(caller: Caller) throws {
        let installation = try Installation(for: caller)
        let status = "; echo ${PIPESTATUS[0]}"
        #expect(try installation.shell("yes | head -1" + status).output == "y\n141\n")
        #expect(try installation.shell("\(Installation.run) yes | head -1" + status).output == "y\n141\n")
        let ignoring = try installation.shell("trap '' PIPE; \(Installation.run) yes | head -1" + status)
        #expect(ignoring.output == "y\n1\n")
        #expect(ignoring.errors.contains("Broken pipe"))
    }

    @Test(arguments: Caller.all)
    func endsItsOutputBeforeItself(caller: Caller) throws {
        let command = try RunningCommand(
            program:
                Installation(for: caller).wrapping(["sh", "-c", "echo ready; exec >&-; read word; exit 3"])
        )
        #expect(try command.line() == "ready")
        #expect(try command.line() == nil)
        #expect(command.isRunning)
        try command.write("go\n")
        #expect(try command.end() == .exited(3))
    }

    @Test(arguments: Caller.all)
    func letsGoOfItsInput(caller: Caller) throws {
        // Ends only if the writer finds no reader, although the command and all that wraps it go on.
        let outcome = try Installation(for: caller).shell(
            """
            directory=$(mktemp -d)
            { yes; touch $directory/gone; } |
                \(Installation.run) sh -c "exec <&-; until [ -e $directory/gone ]; do sleep 0.01; done"
            rm -r $directory
            """
        )
        try outcome.requireSuccess()
    }
}
