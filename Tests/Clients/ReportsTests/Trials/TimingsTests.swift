// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Testing

@testable import Reports

/// What is read from the report of earlier runs.
@Suite struct TimingsTests {
    private static func list(_ names: [String]) -> TrialList {
        let networks = names.map { TrialList.Network(name: $0, directory: $0.lowercased(), digest: "") }
        return TrialList(networks, repetitions: 2, seed: 1)
    }

    private func report(_ runs: String, trials: TrialList? = list(["A", "B"])) throws -> JSON {
        let text = #"{"version": 1, "trials": \#(trials?.json.line ?? "0"), "runs": [\#(runs)]}"#
        return try JSON(utf8: text.utf8)
    }

    /// The runs of networks in another order than in the report.
    private func expected(_ report: JSON) throws -> [Duration] {
        let assignment = try #require(ShardAssignment(timings: report))
        return ShardAssignment.expected(try #require(assignment.durations), in: Self.list(["B", "A"]))
    }

    @Test func belongToNetworksAndNumbers() throws {
        let runs = [3, 1, 4, 2].enumerated().map { #"{"index": \#($0), "name": "x", "seconds": \#($1)}"# }
        let durations = try expected(report(runs.joined(separator: ", ")))
        #expect(durations == [4, 2, 3, 1].map { .seconds($0) })
    }

    @Test func areThoseOfTheCommandUnlessTheRunHasItsOwn() throws {
        let durations = try expected(
            report(
                """
                {"index": 0, "name": "x", "seconds": 9, "report": {"durationSeconds": 2}},
                {"index": 1, "name": "x", "report": {"durationSeconds": 3.5}},
                {"index": 2, "name": "x", "failure": "no network"}, {"index": 3, "name": "x", "seconds": 1}
                """
            )
        )
        #expect(durations == [.seconds(1), .seconds(1), .seconds(9), .seconds(3.5)])
    }

    /// Reports of older versions have no list.
    @Test func belongToTheNetworkOfTheirNameWithoutAList() throws {
        let runs = #"{"name": "B", "report": {"durationSeconds": 2}}, {"name": "A", "report": {"durationSeconds": 8}}"#
        #expect(try expected(report(runs, trials: nil)) == [2, 2, 8, 8].map { .seconds($0) })
    }

    @Test(arguments: ["-1", "1e300", "null", "\"9\""])
    func areLeftOutIfNoTimeIsThatLong(seconds: String) throws {
        let runs = #"{"index": 0, "name": "x", "seconds": \#(seconds)}, {"index": 2, "name": "x", "seconds": 3}"#
        #expect(try expected(report(runs)) == [.seconds(3), .seconds(3), .seconds(3), .seconds(3)])
    }

    @Test(arguments: [#"{"index": 4, "name": "x", "seconds": 1}"#, #"{"index": 0, "seconds": 1}"#, "7"])
    func areNotReadFromAnythingElse(run: String) throws {
        #expect(ShardAssignment(timings: try report(run)) == nil)
    }
}
