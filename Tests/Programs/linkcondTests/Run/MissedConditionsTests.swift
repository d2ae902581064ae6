// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

/// Conditions that no packet met are named at the end, and those that one met are not.
@Suite(.enabled(if: Kernel.hasSandboxes, "needs user and network namespaces"))
struct MissedConditionsTests {
    /// A client that sends so many bytes over a connection to itself, at port 8080.
    private static func client(bytes: Int) -> [String] {
        let text = """
            import socket
            server = socket.create_server(("127.0.0.1", 8080))
            client = socket.create_connection(("127.0.0.1", 8080))
            peer, _ = server.accept()
            try:
                left = \(bytes)
                while left > 0:
                    client.sendall(bytes(min(left, 1000)))
                    left -= len(peer.recv(1000, socket.MSG_WAITALL if left >= 1000 else 0))
            except OSError:
                pass
            """
        return ["/usr/bin/python3", "-c", text]
    }

    private static let reset = #"{"match": {"port": 8080, "after": "20 kB"}, "do": "reset"}"#
    private static let miss =
        "fault 1 (reset: port 8080, after 20 kB) never met a packet: no connection carried 20 kB"

    private func run(_ options: [String], profile members: String, _ client: [String]) throws -> CommandResult {
        let files = try TemporaryDirectory()
        let profile = try files.write("link.json", "{\"name\": \"Test\", \(members)}").path
        return try Program.start([Program.path, "run", "--offline", profile] + options + ["--"] + client)
    }

    @Test(arguments: [[], ["--expect", "at most 9 connections"]])
    func namesAFaultThatNeverHappened(options: [String]) throws {
        let faults = "\"faults\": [\(Self.reset)]"
        let small = try run(options, profile: faults, Self.client(bytes: 500))
        #expect(small.status == 0 && small.errors.contains(Self.miss), "\(small)")
        let large = try run(options, profile: faults, Self.client(bytes: 40_000))
        #expect(large.status == 0 && !large.errors.contains("never met"), "\(large)")
    }

    @Test func isInconclusiveIfStrict() throws {
        let options = ["--strict", "--expect", "at most 9 connections"]
        let faults = "\"faults\": [\(Self.reset)]"
        #expect(try run(options, profile: faults, Self.client(bytes: 500)).status == 1)
        #expect(try run(options, profile: faults, Self.client(bytes: 40_000)).status == 0)
    }

    @Test func namesAStepOfAScheduleThatNeverCame() throws {
        let schedule = #""schedule": {"steps": [{"at": "0 s", "uplink": {"delay": "1 ms"}}, {"at": "3600 s"}]}"#
        let result = try run([], profile: schedule, Self.client(bytes: 500))
        let miss = "step 2 of the schedule (from 3600 s on) never met a packet: the profile was in effect for "
        #expect(result.errors.contains(miss) && !result.errors.contains("step 1"), "\(result)")
    }

    /// The faults of a step, too; a step that never began is named by its own note.
    @Test func namesAStepOfAScenarioInWhichNothingWasSent() throws {
        let files = try TemporaryDirectory()
        let text = """
            {"name": "Quiet", "profile": {"name": "Plain"}, "steps": [
                {"label": "used", "after": {"mark": "used"}, "profile": {"name": "Slow", "uplink": {"delay": "1 ms"}}},
                {"label": "quiet", "after": {"mark": "quiet"}, "profile": {"name": "Broken", "faults": [\(Self.reset)]}}]}
            """
        let scenario = try files.write("quiet.json", text).path
        let shell = """
            "$LINKCOND" mark used; /usr/bin/python3 -c "$1"; "$LINKCOND" mark quiet
            """
        let report = files.url.appending(path: "report").path
        let result = try Program.start(
            ["/usr/bin/env", "LINKCOND=\(Program.path)", Program.path, "run", "--offline", "--scenario", scenario]
                + ["--report", report, "--", "sh", "-c", shell, "sh", Self.client(bytes: 500)[2]]
        )
        #expect(result.status == 0, "\(result)")
        let lines = result.errors.split(separator: "\n").filter { $0.contains("never met") }
        #expect(lines.count == 2, "\(result)")
        #expect(lines[0].contains("step 'quiet' never met a packet: nothing was sent or received in the "))
        #expect(lines[1].contains("fault 1 of step 'quiet' (reset: port 8080, after 20 kB) never met a packet: "))
        let junit = try String(contentsOfFile: "\(report)/junit.xml", encoding: .utf8)
        #expect(junit.contains(#"skipped="2""#) && junit.contains("step &#39;quiet&#39; never met"), "\(junit)")
    }

    /// A client that sets conditions for a test that sends nothing, and takes them off again.
    @Test func doesNotDoubtWhatTheCommandSetsItself() throws {
        let program = Shell.quoted(Program.path)
        let shell = "/usr/bin/python3 -c \"$1\"; \(program) switch 'Slow Net'; \(program) switch 'Reset By Middlebox'"
        let options = ["--strict", "--expect", "at most 9 connections"]
        let client = ["sh", "-c", shell, "sh", Self.client(bytes: 500)[2]]
        let result = try run(options, profile: #""uplink": {"delay": "1 ms"}"#, client)
        #expect(result.status == 0, "\(result)")
        #expect(result.errors.contains("skipped  \"Slow Net\", set by linkcond ("), "\(result)")
        #expect(result.errors.contains("skipped  fault 1 of \"Reset By Middlebox\""), "\(result)")
    }

    @Test func isShownInAMatrix() throws {
        let client = Self.client(bytes: 500)
        let result = try Program.start(
            [Program.path, "matrix", "--offline", "-p", "Reset By Middlebox", "--"] + client
        )
        let miss = "fault 1 (reset: tcp, after 20 kB) never met a packet: no connection carried 20 kB"
        #expect(result.status == 0 && result.output.contains(miss), "\(result)")
    }

    /// A suite that skips everything would be green.
    @Test func countAsAWholeIfStrict() throws {
        let run = [Program.path, "run", "3g", "--offline", "--expect", "leaves no connection open"]
        let strict = try Program.start(run + ["--strict", "--", "true"])
        #expect(strict.status == 1, "\(strict)")
        let words = "profile \"3G\" never met a packet: no packet was sent or received"
        #expect(strict.errors.contains(words), "\(strict)")
        #expect(try Program.start(run + ["--", "true"]).status == 0)
    }
}
