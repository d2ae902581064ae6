// SPDX-License-Identifier: Apache-2.0

import ClientVerdicts
import Foundation
import LinkProfiles
import TestKit
import Testing

@testable import Reports

/// What `run --expect` says of clients that keep an expectation and of clients that violate it.
@Suite(.enabled(if: Kernel.hasSandboxes && Kernel.canPump, "needs namespaces and /dev/net/tun"))
struct VerdictTests {
    /// The pairs of Scripts/verdict-pairs.txt, which scripts/check/verdicts reads, too.
    private static let table: [(client: String, expectation: String)] =
        Script("verdict-pairs.txt").text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
            let columns = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            precondition(columns.count == 2, "no pair: \(line)")
            return (columns[0], columns[1])
        }

    private func run(
        _ client: String,
        _ expectation: String,
        keeps: Bool,
        options: String = ""
    ) throws -> (report: RunReport, result: CommandResult) {
        let files = try TemporaryDirectory()
        try #"{"name": "20 ms", "uplink": {"delay": "20 ms"}}"#
            .write(toFile: "\(files.path)/link.json", atomically: true, encoding: .utf8)
        let command = Script("judged-client.py").line([client, keeps ? "keep" : "violate"])
        let result = try Program.shell(
            """
            cd \(files.path) && "$LINKCOND" run --offline ./link.json --report report \(options) \
            --expect \(Shell.quoted(expectation)) -- \(command)
            """
        )
        let json = try JSON(utf8: Array(try files.read("report/report.json").utf8))
        return (try #require(RunReport(json: json)), result)
    }

    /// A busy machine may make a verdict inconclusive, never wrong.
    @Test(arguments: table)
    func tellsWhoKeepsAnExpectation(_ client: String, _ expectation: String) throws {
        for keeps in [true, false] {
            try settle {
                try run(client, expectation, keeps: keeps)
            } as: { report, result in
                let finding = try #require(report.results.first)
                #expect(finding.expectation == expectation)
                // A busy machine makes no client keep what it violates.
                #expect(keeps || finding.verdict != .pass, "\(finding)\n\(result.errors)")
                guard finding.verdict == (keeps ? .pass : .fail) else {
                    return "\(keeps ? "kept" : "violated"): \(finding)\n\(result.errors)"
                }
                if finding.verdict == .fail, client != "exits" {
                    #expect(result.status == 1 && finding.remedy != nil)
                }
                return nil
            }
        }
    }

    /// What the client receives stands in the capture where it was delivered, long after what was sent later.
    @Test func readsAnswersInOrderThatAreLongOnTheirWay() throws {
        let slow = "--uplink delay=50ms --downlink 'delay=400ms,rate=400 kbit/s'"
        try settle {
            try run("amount", "at most 100000 bytes", keeps: false, options: slow)
        } as: { report, result in
            let finding = try #require(report.results.first)
            return finding.verdict == .pass ? nil : "\(result)"
        }
    }

    /// More of them than the ports that a sandbox had once.
    @Test func countsTenThousandConnectionsThatAreLeftOpen() throws {
        let command = Script("many-connections.py").line(["10"])
        let expectations = "--expect 'leaves no connection open' --expect 'at most 9999 connections'"
        let result = try Program.shell(
            #"exec "$LINKCOND" run --offline --uplink delay=5ms \#(expectations) -- \#(command)"#
        )
        #expect(result.errors.contains("FAIL  leaves no connection open: "), "\(result)")
        #expect(result.errors.contains("was open when the command had ended, and 9999 more"), "\(result)")
        #expect(result.errors.contains("at most 9999 connections: 10000 connections"), "\(result)")
    }

    /// The packets that it held are not in the capture, and no process carries those that follow.
    @Test(.enabled(if: Kernel.isRoot, "needs root, to find the pump's process"))
    func passesNothingAfterThePumpWasKilled() throws {
        for expectation in ["at most 3 connection attempts", "leaves no connection open"] {
            let (report, result) = try run("loses_pump", expectation, keeps: true)
            let finding = try #require(report.results.first)
            #expect(finding.verdict == .inconclusive, "\(finding)\n\(result.errors)")
            #expect(finding.finding.contains("lc-pump, which carries the conditions, ended"), "\(finding)")
        }
    }

    /// Runs a client again where other work has kept it, or the packets, from a processor.
    private func settle(
        _ run: () throws -> (report: RunReport, result: CommandResult),
        as fault: (RunReport, CommandResult) throws -> String?
    ) throws {
        try Measurements.settle {
            let (report, result) = try run()
            return try fault(report, result)
        }
    }
}
