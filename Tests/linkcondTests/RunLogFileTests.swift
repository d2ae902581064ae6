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
}
