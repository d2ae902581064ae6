// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

/// The traits, on tests that run inside of `linkcond run` and outside.
@Suite(.enabled(if: Kernel.hasSandboxes && Kernel.canPump, "needs namespaces and /dev/net/tun"))
struct TraitTests {
    /// Runs the tests that match in another process.
    ///
    /// - Parameter others: commands to run beside them.
    private func tests(
        _ filter: String,
        under prefix: String = "",
        times: Int = 1,
        beside others: [String] = []
    ) throws -> CommandResult {
        let files = try TemporaryDirectory()
        try files.write("scenario.json", #"{"name": "away", "profile": "away.json"}"#)
        try files.write("away.json", #"{"name": "away", "uplink": {"delay": "70 ms"}}"#)
        let bundle = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let run = "\(Shell.quoted(bundle)) --testing-library swift-testing --filter \(Shell.quoted(filter))"
        let commands = [String](repeating: run, count: times) + others
        let all = commands.map { "\($0) & children=\"$children $!\"" }.joined(separator: "\n")
        let script = "children=; \(all)\nstatus=0; for one in $children; do wait $one || status=$?; done; exit $status"
        let program = "LINKCOND=\(Shell.quoted(Package.linkcond))"
        return try Shell.run(
            "cd \(files.path) && export LINKCOND_INSIDE=1 \(program); \(prefix) sh -c \(Shell.quoted(script)) 2>&1"
        )
    }

    private let sandbox = "\"$LINKCOND\" run --offline --"

    @Test func givesTestsTheirConditionsAndVerdicts() throws {
        let result = try tests("InsideTests/", under: sandbox)
        let text = result.output
        for name in ["hasTheConditionsOfItsSuite", "hasItsOwnConditions", "keepsItsExpectations"] {
            #expect(text.contains("Test \(name)() passed"), "\(text)")
        }
        #expect(text.contains("Test violatesItsExpectation() failed"), "\(text)")
        #expect(text.contains("fail: at most 2 connection attempts: 3 connection attempts"), "\(text)")
        #expect(text.contains("Test hasAMisspeltProfile() failed"), "\(text)")
        #expect(text.contains("Slow Net"), "\(text)")
    }

    @Test func playsScenarios() throws {
        let result = try tests("InsideTests/(plays|isTooShort|names)", under: sandbox)
        let text = result.output
        #expect(text.contains("Test playsTheScenarioOfAFile() passed"), "\(text)")
        // Five connections or more, where the scenario expects three: what it expects is judged.
        #expect(text.contains("Test playsAScenario() failed") && text.contains("with 1 issue"), "\(text)")
        #expect(text.contains(/fail: at most 3 connections during 'far away': ([5-9]|\d\d+) connections/), "\(text)")
        #expect(text.contains("step 'far away' never began: it waited for 90 connections, 1 came"), "\(text)")
        #expect(text.contains("Test namesAMissingFile() failed"), "\(text)")
        #expect(text.contains("cannot read missing.json"), "\(text)")
    }

    @Test func restoresTheLinkAfterAPieceOfCodeAndAfterOneThatThrows() throws {
        let result = try tests("InsideRestoreTests/", under: sandbox)
        #expect(result.status == 0 && result.output.contains("with 2 test cases passed"), "\(result.output)")
    }

    @Test func hasTestsTakeTurnsAcrossSuitesAndProcesses() throws {
        let result = try tests("InsideTurnTests/", under: sandbox, times: 2)
        #expect(result.status == 0, "\(result.output)")
        #expect(result.output.components(separatedBy: "with 5 test cases passed").count == 5, "\(result.output)")
    }

    /// Tests in Python lock the same file.
    @Test func hasTestsTakeTurnsWithThoseOfPytest() throws {
        let python = """
            import os, time
            from pytest_linkcond.control import Control
            from pytest_linkcond.turn import turn
            for _ in range(8):
                with turn(Control.of_this_sandbox().turn):
                    os.mkdir("turn"); time.sleep(0.03); os.rmdir("turn")
                time.sleep(0.01)
            print("python is done")
            """
        let plugin = Shell.quoted("\(Package.path)/Sources/Sandbox/pytest-linkcond")
        let other = "PYTHONPATH=\(plugin) /usr/bin/python3 -B -c \(Shell.quoted(python))"
        let result = try tests("InsideTurnTests/", under: sandbox, beside: [other])
        #expect(result.status == 0 && result.output.contains("python is done"), "\(result.output)")
        #expect(result.output.components(separatedBy: "with 5 test cases passed").count == 3, "\(result.output)")
    }

    /// A suite's instance is gone when its test is judged; what another test or process has left open is not this one's.
    @Test func judgeConnectionsOfTheirOwnOnly() throws {
        let python = """
            import socket, time
            server = socket.create_server(("127.0.0.1", 0), backlog=1000)
            kept = []
            for _ in range(300):
                kept.append(socket.create_connection(server.getsockname()))
                time.sleep(0.01)
            """
        let result = try tests(
            "InsideLeakTests/",
            under: "\"$LINKCOND\" run --offline --observe --",
            times: 2,
            beside: ["/usr/bin/python3 -c \(Shell.quoted(python))"]
        )
        let text = result.output
        #expect(text.components(separatedBy: "with 6 test cases passed").count == 3, "\(text)")
        // One of Python's whose holder is not known yet makes a verdict inconclusive, no failure.
        let failure = "fail: leaves no connection open: 1 connection left open: 127.0.0.1:"
        #expect(text.components(separatedBy: failure).count == 3, "\(text)")
    }

    @Test func goOnBesideChildrenOfEarlierTests() throws {
        let result = try tests("InsideChildTests/", under: "timeout 300 \(sandbox)")
        #expect(result.status == 0, "\(result.output)")
        #expect(result.output.contains("with 3 test cases passed"), "\(result.output)")
    }

    /// In a run that is observed from its begin, too.
    @Test func givesVerdictsInAnObservedRun() throws {
        let result = try tests("InsideTests/(keeps|violates)", under: "\"$LINKCOND\" run --offline --observe --")
        #expect(result.output.contains("Test keepsItsExpectations() passed"), "\(result.output)")
        #expect(result.output.contains("Test violatesItsExpectation() failed"), "\(result.output)")
    }

    @Test func haveTheirVerdictsInTheReportOfTheRun() throws {
        let reports = try TemporaryDirectory()
        let result = try tests(
            "InsideTests/(keeps|violates)",
            under: "\"$LINKCOND\" run --offline --report \(Shell.quoted(reports.path)) --"
        )
        let summary = try reports.read("summary.md")
        #expect(summary.contains("Verdicts of tests inside: 1 pass, 1 FAIL.\n"), "\(summary)\n\(result.output)")
        #expect(summary.contains("| FAIL | InsideTests/violatesItsExpectation() | "), "\(summary)")
    }

    @Test func saysThatTheRunCannotBeObserved() throws {
        let result = try tests("InsideTests/keeps", under: "\"$LINKCOND\" run --offline --capture packets.pcapng --")
        #expect(result.status != 0)
        #expect(result.output.contains("linkcond run --observe"), "\(result.output)")
    }

    @Test func skipsTestsWithoutASandbox() throws {
        let result = try tests("InsideTests/has", under: "env -u LINKCOND_SOCKET")
        #expect(result.status == 0, "\(result.output)")
        #expect(result.output.contains("type: linkcond run -- swift test"), "\(result.output)")
    }

    @Test func failsTestsWithoutASandboxIfOneIsRequired() throws {
        let result = try tests("InsideTests/has", under: "env -u LINKCOND_SOCKET LINKCOND_REQUIRED=1")
        #expect(result.status != 0)
        #expect(result.output.contains("type: linkcond run --"), "\(result.output)")
    }
}
