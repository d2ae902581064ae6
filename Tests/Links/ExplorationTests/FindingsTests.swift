// SPDX-License-Identifier: Apache-2.0

import Exploration
import LinkProfiles
import TestKit
import Testing

/// The search for all that fails, with clients that have several mistakes.
@Suite struct FindingsTests {
    private static let client = SimulatedClient { timeline in
        var failures: Set<String> = []
        if timeline.has(.reset) { failures.insert("sends no request twice") }
        if timeline.has(.linkDown, where: { $0.length ?? .seconds(9) >= .milliseconds(300) }) {
            failures.insert("recovers within 1 s")
        }
        if timeline.has(.loss), timeline.has(.failingDNS) { failures.insert("completes within 3 s") }
        return failures.isEmpty ? nil : failures
    }

    private func ways(_ findings: [TimelineFinding]) -> Set<String> {
        Set(findings.map { "\($0.checks.sorted()): \($0.timeline.kinds.map(\.rawValue))" })
    }

    @Test func findsEachMistakeOnce() throws {
        for seed in 0..<Extent.choose(once: 3, all: 8, soak: 100) as Range<UInt64> {
            let search = try Self.client.explore(seed: seed, maximumRuns: 700, stopsAtFirst: false).search
            #expect(search.findings.count == 3 && search.findings.allSatisfy(\.isMinimal), "seed \(seed)")
            #expect(
                ways(search.findings) == [
                    #"["sends no request twice"]: ["reset"]"#, #"["recovers within 1 s"]: ["link down"]"#,
                    #"["completes within 3 s"]: ["loss", "failing DNS"]"#,
                ],
                "seed \(seed)"
            )
            #expect(search.stop == .outOfRuns && search.unconfirmed.isEmpty)
        }
    }

    @Test func makesNoFindingSmallerTwice() throws {
        let client = SimulatedClient { $0.has(.reset) }
        let result = try client.explore(seed: 4, maximumRuns: 300, stopsAtFirst: false)
        #expect(result.search.findings.count == 1)
        #expect(result.runs.count { $0.attempt > 0 } < 20)
        #expect(result.search.counts[.reset]?.failed ?? 0 > 10)
    }

    @Test func findsTheSameWhateverRunsSideBySide() throws {
        let alone = try Self.client.explore(seed: 11, maximumRuns: 400, stopsAtFirst: false).search.findings
        for jobs in [3, 8] {
            let findings = try Self.client.explore(seed: 11, jobs: jobs, maximumRuns: 600, stopsAtFirst: false)
                .search.findings
            #expect(findings.map(\.timeline) == alone.map(\.timeline) && findings.map(\.checks) == alone.map(\.checks))
        }
    }

    /// A timeline with many smaller ones must not take the runs in which the others are found.
    @Test func drawsInHalfOfTheRunsAtLeast() throws {
        var search = TimelineSearch(
            SimulatedClient.generator(seed: 5),
            share: try #require(FailureShare(2, of: 3)),
            TimelineSearch.Limits(runs: 300)
        )
        var (drawing, shrinking) = (0, 0)
        while let run = search.next(1).first {
            let isShrinking = search.shrinking != nil
            if isShrinking { shrinking += 1 } else { drawing += 1 }
            #expect(shrinking <= drawing + 15)
            // Each network fails in a way of its own, too: nothing is ever done.
            search.record([(run, .failed(isShrinking ? ["it works"] : ["it works", "\(run.timeline.words)"]))])
        }
        #expect(drawing >= 140)
    }

    /// Two expectations fail under a stall of all connections, and one of them under a stall of the first, too.
    @Test func findsWhatElseFailedThere() throws {
        let client = SimulatedClient { timeline in
            guard timeline.has(.stall) else { return nil }
            let isOfAll = timeline.has(.stall) {
                if case .fault(let fault) = $0.effect { fault.match.connection == nil } else { false }
            }
            return isOfAll ? ["a", "b"] : ["a"]
        }
        let findings = try client.explore(seed: 2, maximumRuns: 300, stopsAtFirst: false).search.findings
        #expect(ways(findings) == [#"["a"]: ["stalled connection"]"#, #"["b"]: ["stalled connection"]"#])
        // Both at once, in the first network that fails.
        var first = TimelineSearch(
            SimulatedClient.generator(seed: 2),
            share: try #require(FailureShare(2, of: 3)),
            TimelineSearch.Limits(runs: 200)
        )
        while let run = first.next(1).first {
            // Only the network as it was drawn fails in both ways.
            let failures: Set<String>? = run.timeline.has(.jitter) ? first.shrinking == nil ? ["a", "b"] : ["a"] : nil
            first.record([(run, failures.map { .failed($0) } ?? .passed)])
        }
        #expect(Set(first.findings.flatMap(\.checks)) == ["a", "b"])
    }

    @Test func leavesRunsForTheReportsOfTheFindings() throws {
        for maximum in [10, 30, 60, 200] {
            var generator = SeededGenerator(seed: 1)
            var search = TimelineSearch(
                SimulatedClient.generator(seed: 1),
                share: try #require(FailureShare(1, of: 1)),
                TimelineSearch.Limits(runs: maximum, runsOfFinding: 1)
            )
            while case let runs = search.next(3), !runs.isEmpty {
                search.record(runs.map { ($0, Self.client.outcome(of: $0, &generator)) })
            }
            #expect(search.runs + search.findings.count <= maximum && search.stop == .outOfRuns)
        }
    }
}
