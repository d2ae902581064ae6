// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

/// Conditions of one end of a link that describe the link of the machine at the other end.
@Suite(.enabled(if: PrivateLink.isAvailable, PrivateLink.need))
struct FacingTests {
    @Test func isTheSameLinkAtEitherEnd() throws {
        try PrivateLink.check("facing.py", "isTheSameLinkAtEitherEnd()")
    }

    @Test func staysThatWay() throws {
        try PrivateLink.check("facing.py", "staysThatWay()")
    }

    @Test func lastsAsLongAsACommand() throws {
        try PrivateLink.check("facing.py", "lastsAsLongAsACommand()")
    }

    @Test func refusesLoopback() throws {
        try PrivateLink.check("facing.py", "refusesLoopback()")
    }

    @Test func showsTheCommandsOfThePeersLink() throws {
        let lines = ["show", "Black Hole", "--tc", "-i", "lo"]
        #expect(try Program.start(Program.namespace + [Program.path] + lines + ["--facing", "peer"]).status == 69)
        let other = try Program.run("export", "LTE", "--to", "pumba", "--facing", "peer")
        #expect(other.status == 64 && other.errors.contains("--facing is for --to tc"), "\(other)")
        let wrong = try Program.run("apply", "LTE", "-i", "eth0", "--facing", "me")
        #expect(wrong.status == 64 && wrong.errors.contains("--facing"), "\(wrong)")
    }
}
