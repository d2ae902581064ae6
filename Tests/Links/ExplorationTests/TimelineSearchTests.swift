// SPDX-License-Identifier: Apache-2.0

import Exploration
import LinkProfiles
import TestKit
import Testing

/// The search, with clients whose mistakes are known.
@Suite struct TimelineSearchTests {
    /// Clients, and the only timelines under which they fail that have no smaller one.
    static let clients: [(name: String, client: SimulatedClient, kinds: Set<DisturbanceKind>)] = [
        ("a reset", SimulatedClient { $0.has(.reset) }, [.reset]),
        (
            "a short outage", SimulatedClient { $0.has(.linkDown) { $0.length ?? .seconds(9) >= .milliseconds(300) } },
            [.linkDown]
        ),
        (
            "a new address late", SimulatedClient { $0.has(.newAddress) { $0.start >= .milliseconds(200) } },
            [.newAddress]
        ),
        (
            "a long delay",
            SimulatedClient {
                $0.has(.delay) {
                    if case .figures(_, let figures) = $0.effect {
                        figures.delay ?? .zero >= .milliseconds(400)
                    } else {
                        false
                    }
                }
            }, [.delay]
        ),
        ("two at once", SimulatedClient { $0.has(.loss) && $0.has(.failingDNS) }, [.loss, .failingDNS]),
    ]

    @Test(arguments: clients.indices)
    func findsWhatFailsAndNothingElse(index: Int) throws {
        let (name, client, kinds) = Self.clients[index]
        for seed in 0..<8 as Range<UInt64> {
            let result = try client.explore(seed: seed)
            let finding = try #require(result.search.findings.first, "\(name), seed \(seed)")
            #expect(client.failures(finding.timeline) != nil, "\(name), seed \(seed)")
            #expect(Set(finding.timeline.kinds) == kinds && finding.timeline.disturbances.count == kinds.count)
            #expect(finding.checks == ["it works"] && finding.attempts == [0, 1])
            #expect(result.search.stop == .shrunk)
        }
    }

    @Test(arguments: clients.indices)
    func leavesNoSmallerOneThatFails(index: Int) throws {
        let (name, client, _) = Self.clients[index]
        for seed in 20..<28 as Range<UInt64> {
            let finding = try #require(try client.explore(seed: seed).search.findings.first)
            for smaller in finding.timeline.reductions(shortestTime: .milliseconds(50)) where smaller.problem == nil {
                #expect(client.failures(smaller) == nil, "\(name), seed \(seed): \(smaller.words)")
            }
        }
    }

    @Test func findsWhatOneKindCausesEarly() throws {
        for kind in DisturbanceKind.allCases {
            let result = try SimulatedClient { $0.has(kind) }.explore(seed: 1)
            #expect(result.search.drawnCount <= 35, "\(kind)")
            let finding = try #require(result.search.findings.first)
            #expect(finding.timeline.scenario(named: "Explored").steps.count <= 2)
            #expect(result.search.runs <= 70, "\(kind): \(result.search.runs) runs")
        }
    }

    @Test(arguments: [1, 3])
    func takesTheSameCourseWhateverRunsSideBySide(jobs: Int) throws {
        for (name, client, _) in Self.clients {
            let alone = try client.explore(seed: 11)
            let again = try client.explore(seed: 11, jobs: jobs)
            #expect(again.search.findings.first?.timeline == alone.search.findings.first?.timeline, "\(name)")
            #expect(again.batches.allSatisfy { $0.count <= jobs })
            if jobs == 1 { #expect(again.batches == alone.batches) }
        }
    }

    @Test func makesNoMoreRunsThanAllowed() throws {
        for maximum in [1, 2, 5, 17, 60, 100] {
            for (_, client, _) in Self.clients + [("none", SimulatedClient { _ in false }, [])] {
                for jobs in [1, 4] {
                    let result = try client.explore(seed: 3, jobs: jobs, maximumRuns: maximum)
                    #expect(result.runs.count <= maximum && result.search.runs == result.runs.count)
                    let isComplete = result.search.stop == .shrunk
                    #expect(isComplete || result.runs.count == maximum)
                }
            }
        }
    }

    @Test func asksForNoRunTwice() throws {
        for (_, client, _) in Self.clients {
            let result = try client.explore(seed: 5, jobs: 4)
            let first = result.batches.firstIndex { $0.contains { $0.attempt > 0 } } ?? 0
            let shrinking = result.batches[first...].flatMap { $0 }
            #expect(Set(shrinking).count == shrinking.count)
        }
    }

    @Test func findsNothingWhereNothingFails() throws {
        let result = try SimulatedClient { _ in false }.explore(seed: 1, jobs: 3, maximumRuns: 300)
        #expect(result.search.findings.isEmpty && result.search.unconfirmed.isEmpty)
        #expect(result.search.drawnCount == 300 && result.search.counts.count == DisturbanceKind.allCases.count)
        #expect(result.search.stop == .outOfRuns)
    }

    @Test func confirmsAClientThatFailsByChance() throws {
        var found = 0
        for seed in 0..<20 as Range<UInt64> {
            let result = try SimulatedClient(probability: 0.7) { $0.has(.reset) }.explore(seed: seed)
            guard let finding = result.search.findings.first else { continue }
            found += 1
            #expect(finding.timeline.has(.reset) && finding.attempts.count >= 2 && finding.runs <= 3)
        }
        #expect(found == 20)
    }

    @Test func namesWhatFailedOnceAndGoesOn() throws {
        // Every first run under resets fails, and no other.
        let client = SimulatedClient { $0.has(.reset) || $0.has(.linkDown) }
        var search = TimelineSearch(
            SimulatedClient.generator(seed: 1),
            share: try #require(FailureShare(2, of: 3)),
            TimelineSearch.Limits(runs: 1000, stopsAtFirst: true)
        )
        while let run = search.next(1).first {
            let passes = client.failures(run.timeline) == nil || run.timeline.has(.reset) && run.attempt > 0
            search.record([(run, passes ? .passed : .failed(["it works"]))])
        }
        #expect(search.unconfirmed.allSatisfy { $0.timeline.has(.reset) && $0.attempts == [0] && $0.runs == 3 })
        #expect(!search.unconfirmed.isEmpty && search.findings.first?.timeline.kinds == [.linkDown])
    }

    @Test func takesNoDoubtForAFailure() throws {
        let result = try SimulatedClient(doubt: 1) { _ in true }.explore(seed: 1, maximumRuns: 100)
        #expect(result.search.findings.isEmpty && result.search.inconclusive == 100)
        let some = try SimulatedClient(doubt: 0.2) { $0.has(.stall) }.explore(seed: 1)
        #expect(some.search.findings.first?.timeline.has(.stall) == true && some.search.inconclusive > 0)
    }

    /// Without this, a lost packet that breaks everything would take the place of a rare mistake.
    @Test func keepsToTheMistakeThatItFound() throws {
        var client = SimulatedClient { _ in false }
        client.failures = { timeline in
            if timeline.has(.loss), timeline.has(.reset) { return ["sends no request twice"] }
            return timeline.disturbances.count == 1 && timeline.has(.loss) ? ["completes within 1 s"] : nil
        }
        var search = TimelineSearch(
            SimulatedClient.generator(seed: 2),
            share: try #require(FailureShare(1, of: 1)),
            TimelineSearch.Limits(runs: 3000, stopsAtFirst: true)
        )
        var number = 0
        while let run = search.next(1).first {
            // Not what fails before.
            let outcome = client.failures(run.timeline).map { TimelineRun.Outcome.failed($0) } ?? .passed
            search.record([
                (run, search.shrinking == nil && outcome == .failed(["completes within 1 s"]) ? .passed : outcome)
            ])
            number += 1
        }
        #expect(search.findings.first?.checks == ["sends no request twice"])
        #expect(search.findings.first.map { Set($0.timeline.kinds) } == [.loss, .reset])
    }

    @Test func keepsWhatWasFoundWhenItIsEnded() throws {
        let client = SimulatedClient { $0.has(.loss) && $0.has(.failingDNS) }
        var search = TimelineSearch(
            SimulatedClient.generator(seed: 8),
            share: try #require(FailureShare(2, of: 3)),
            TimelineSearch.Limits(runs: 3000, stopsAtFirst: true)
        )
        while search.shrinking == nil, let run = search.next(1).first {
            search.record([(run, client.failures(run.timeline).map { .failed($0) } ?? .passed)])
        }
        search.end()
        #expect(search.next(4).isEmpty && search.stop == .ended)
        #expect(search.findings.first.map { client.failures($0.timeline) != nil } == true)
    }

    @Test func refusesAShareThatIsNone() {
        #expect(FailureShare(0, of: 3) == nil && FailureShare(4, of: 3) == nil && FailureShare(1, of: 101) == nil)
    }
}
