// SPDX-License-Identifier: Apache-2.0

import Exploration
import LinkProfiles
import TestKit

/// A client that fails under some timelines.
struct SimulatedClient: Sendable {
    /// The checks that fail under a timeline; nil where it passes.
    var failures: @Sendable (DisturbanceTimeline) -> Set<String>?
    /// How often it fails where it may.
    var probability = 1.0
    /// How often a run has no answer.
    var doubt = 0.0

    init(failures: @escaping @Sendable (DisturbanceTimeline) -> Set<String>?) { self.failures = failures }

    init(probability: Double = 1, doubt: Double = 0, failsIf: @escaping @Sendable (DisturbanceTimeline) -> Bool) {
        failures = { failsIf($0) ? ["it works"] : nil }
        (self.probability, self.doubt) = (probability, doubt)
    }

    func outcome(of run: TimelineRun, _ generator: inout SeededGenerator) -> TimelineRun.Outcome {
        if doubt > 0, Double.random(in: 0..<1, using: &generator) < doubt { return .inconclusive }
        guard let failures = failures(run.timeline) else { return .passed }
        return probability == 1 || Double.random(in: 0..<1, using: &generator) < probability
            ? .failed(failures) : .passed
    }

    /// Every kind can happen to it.
    static let observed = ObservedClient(
        servers: [
            .init(.tcp, port: 443, usesIPv6: true, hasTLS: true, payload: 5000), .init(.tcp, port: nil),
            .init(.udp, port: 4433),
        ],
        names: ["api.test", "cdn.test"],
        duration: .seconds(2),
        hasUplink: true
    )

    static let base = Profile(name: "Good")

    static func generator(seed: UInt64, observed: ObservedClient = observed) -> TimelineGenerator {
        TimelineGenerator(observed, base: base, seed: seed, kinds: DisturbanceKind.allCases)
    }

    /// What a search came to, and every batch that it asked for.
    struct Search {
        var search: TimelineSearch
        var batches: [[TimelineRun]] = []
        var runs: [TimelineRun] { batches.flatMap { $0 } }
    }

    func explore(
        seed: UInt64,
        jobs: Int = 1,
        share: FailureShare? = FailureShare(2, of: 3),
        maximumRuns: Int = 2000,
        stopsAtFirst: Bool = true
    ) throws -> Search {
        guard let share else { throw TestFailure("no share") }
        var generator = SeededGenerator(seed: seed)
        let limits = TimelineSearch.Limits(runs: maximumRuns, stopsAtFirst: stopsAtFirst)
        var result = Search(search: TimelineSearch(Self.generator(seed: seed), share: share, limits))
        while true {
            let runs = result.search.next(jobs)
            guard !runs.isEmpty else { return result }
            result.batches.append(runs)
            result.search.record(runs.map { ($0, outcome(of: $0, &generator)) })
        }
    }
}

extension DisturbanceTimeline {
    func has(_ kind: DisturbanceKind, where test: (Disturbance) -> Bool = { _ in true }) -> Bool {
        disturbances.contains { $0.kind == kind && test($0) }
    }
}
