// SPDX-License-Identifier: Apache-2.0

import ClientVerdicts
import Foundation
import LinkProfiles
import TestKit
import Testing

@testable import Reports

/// `run --expect` beside `run --monitor`.
@Suite(.enabled(if: Kernel.hasSandboxes && Kernel.canPump, "needs namespaces and /dev/net/tun"))
struct MonitoredRunTests {
    private struct Outcome {
        var report: RunReport
        var events: [Substring]
        var errors: String
    }

    private static func run(_ client: String, _ target: String, _ options: [String], _ expected: [String]) throws
        -> Outcome
    {
        let files = try TemporaryDirectory()
        let words =
            [Program.path, "run", "--offline"] + options + ["--monitor", target, "--report", "\(files.path)/report"]
            + expected.flatMap { ["--expect", $0] }
        let result = try Program.start(
            words + ["--"] + Script("monitored-client.py").command([client])
        )
        let json = try JSON(utf8: Array(try files.read("report/report.json").utf8))
        return Outcome(
            report: try #require(RunReport(json: json)),
            events: try files.read("report/events.jsonl").split(separator: "\n"),
            errors: result.errors
        )
    }

    /// A monitor of ICMP does not see that one port is dark; one of TLS calls a server down that speaks in the clear.
    private static let table: [(client: String, target: String, options: [String], verdict: ClientVerdicts.Verdict)] = [
        ("silent", "icmp://127.0.0.1", ["Black Hole", "--port", "8099"], .fail),
        ("answered", "tls://127.0.0.1:8099", ["--uplink", "delay=5 ms"], .fail),
        ("outage", "tcp://127.0.0.1:8099", ["--uplink", "delay=5 ms"], .pass),
    ]

    @Test func comparesTheVerdictsOfTheMonitorWithTheClientsPackets() throws {
        // A busy machine puts a contradiction in doubt; it makes none.
        try Measurements.settle {
            let outcomes = try sideBySide(Self.table) { row in
                try Self.run(row.client, row.target, row.options, ["monitor agrees"])
            }
            return try zip(Self.table, outcomes).compactMap { try doubt($0, $1) }.first
        }
    }

    /// What the machine has put in doubt; nil for nothing.
    private func doubt(
        _ row: (client: String, target: String, options: [String], verdict: ClientVerdicts.Verdict),
        _ outcome: Outcome
    ) throws -> String? {
        let finding = try #require(outcome.report.results.first)
        if finding.verdict == .inconclusive, finding.finding.contains("for a processor"), row.verdict == .fail {
            return "\(row.client): \(finding)"
        }
        #expect(finding.verdict == row.verdict, "\(row.client): \(finding) \(outcome.errors)")
        if row.verdict == .fail { #expect(finding.finding.contains(row.target) && !finding.packets.isEmpty) }
        let told = outcome.events.filter { $0.contains(#""event": "monitor""#) }
        #expect(told.count >= 2 && told[0].contains(#""status": "unknown""#), "\(told)")
        return nil
    }

    /// They are on the same network.
    @Test func doesNotTakeTheMonitorsProbesForTheClients() throws {
        let expected = ["at most 0 connections", "at most 3 connections", "exits with 0"]
        let outcome = try Self.run("counted", "tcp://127.0.0.1:8099", ["--uplink", "delay=20 ms"], expected)
        let findings = outcome.report.results
        #expect(findings[0].verdict != .pass && findings.dropFirst().allSatisfy { $0.verdict == .pass }, "\(findings)")
        #expect(findings[0].finding.hasPrefix("3 connections, by python3 ("), "\(findings[0].finding)")
        #expect(outcome.report.totals.connections == 3)
        #expect(outcome.events.contains { $0.contains(#""event": "probe""#) && $0.contains("127.0.0.1:8099") })
    }

    @Test func isSkippedWithoutAMonitor() throws {
        let result = try Program.run("run", "--offline", "--expect", "monitor agrees", "--", "true")
        #expect(result.status == 0 && result.errors.contains("skipped  monitor agrees: --monitor was not given"))
    }
}
