// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

/// The file of `--log`, when root runs a command for another user.
@Suite(.enabled(if: Kernel.isRoot && Kernel.canPump && Kernel.hasSandboxes, "needs root, namespaces and /dev/net/tun"))
struct RunLogFileTests {
    /// A directory in which every user may make files.
    private func sharedDirectory() throws -> TemporaryDirectory {
        let files = try TemporaryDirectory()
        try Program.start(["chmod", "0777", files.path]).requireSuccess()
        return files
    }

    private func run(log: String, user: [String] = ["--user", "nobody"]) throws -> CommandResult {
        try Program.start([Program.path, "run", "--offline", "Slow Net", "--log", log] + user + ["--", "true"])
    }

    @Test func followsNoLinkOfAnotherUser() throws {
        let files = try sharedDirectory()
        let target = try files.write("target", "kept").path
        try Program.start(Caller.nobody.words + ["ln", "-s", target, "\(files.path)/log"]).requireSuccess()
        for user in [["--user", "nobody"], []] {
            let outcome = try run(log: "\(files.path)/log", user: user)
            #expect(outcome.status == 125, "\(outcome)")
            #expect(outcome.errors.contains("symbolic links are not followed"), "\(outcome)")
        }
        #expect(try files.read("target") == "kept")
    }

    @Test func overwritesNoFileThatTheUserMayNotWrite() throws {
        let files = try sharedDirectory()
        let target = try files.write("target", "kept").path
        let outcome = try run(log: target)
        #expect(outcome.status == 125, "\(outcome)")
        #expect(outcome.errors.contains("as nobody: Permission denied\nlinkcond: try: a path that nobody may write"))
        #expect(try files.read("target") == "kept")
    }

    @Test func belongsToTheUser() throws {
        let files = try sharedDirectory()
        let log = "\(files.path)/log"
        try run(log: log).requireSuccess()
        #expect(try Program.start(["stat", "-c", "%U", log]).output == "nobody\n")
        #expect(try files.read("log").hasPrefix("arrival\t"))
    }

    /// A shell's `--log >(gzip >FILE)` names a descriptor that is open already.
    @Test(arguments: ["/dev/stdout", "/dev/fd/1"])
    func mayBeAnOpenDescriptor(path: String) throws {
        let outcome = try run(log: path)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.hasPrefix("arrival\t"), "\(outcome)")
    }

    /// The log's end does not wait long for its reader, and neither the run nor its verdicts suffer.
    @Test func endsWhereNothingReadsIt() throws {
        let files = try TemporaryDirectory()
        let outcome = try Program.shell(
            """
            cd \(files.path) && mkfifo log && { sleep 30 <log & } &&
            "$LINKCOND" run --offline --uplink 'delay=1 ms' --log log --expect 'at most 0 connections' -- \
                ping -q -i 0.002 -c 600 127.0.0.1
            echo status $?; kill %1
            """
        )
        #expect(outcome.output.contains("status 0"), "\(outcome)")
        #expect(outcome.errors.contains("pass  at most 0 connections"), "\(outcome)")
        #expect(
            outcome.errors.contains(
                #/note: the log ends early: its reader does not go on; \d+ lines of lo are missing/#
            ),
            "\(outcome)"
        )
    }
}
