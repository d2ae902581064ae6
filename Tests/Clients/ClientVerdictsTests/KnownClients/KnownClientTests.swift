// SPDX-License-Identifier: Apache-2.0

import Foundation
import LinkProfiles
import TestKit
import Testing

@testable import ClientVerdicts

/// Verdicts on clients whose deeds are known, on random links: hundreds, or 100 000 in the soak.
/// LINKCOND_SEED names one, and has its deeds printed.
@Suite struct KnownClientTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let seeds: Range<UInt64> =
        if let seeds = environment["LINKCOND_SEED"]?.split(separator: "-").compactMap({ UInt64($0) }), !seeds.isEmpty {
            seeds[0]..<seeds[seeds.count - 1] + 1
        } else {
            0..<Extent.choose(once: 150, all: 500, soak: 100_000)
        }

    /// No verdict contradicts them, none passes on what was hidden, and hardly one is in doubt without need.
    @Test func areJudgedByWhatTheyDid() throws {
        var (decided, doubted) = (0, [String]())
        for seed in Self.seeds {
            let run = try KnownRun(KnownPlan(seed: seed))
            var generator = SeededGenerator(seed: seed &+ 7)
            for expectation in run.expectations(using: &generator) {
                let (truth, judgement) = (run.truth(of: expectation), run.judge.judge(expectation))
                let verdict = judgement.verdict
                let words = "seed \(seed): \(expectation): \(verdict), \(judgement.finding); it \(truth)"
                let isBlind = verdict == .pass && run.hides(expectation.kind)
                if truth.isContradicted(by: verdict) || isBlind { Issue.record("\(words)\n\(run.deeds)") }
                if Self.seeds.count == 1 { print(words) }
                guard truth.holds != nil, !truth.isBlurred, !run.isUnclear else { continue }
                decided += 1
                if verdict == .inconclusive { doubted.append(words) }
            }
            if Self.seeds.count == 1 { print(run.deeds) }
        }
        let share = Self.seeds.count == 1 ? 1 : 0.005
        #expect(
            decided >= Self.seeds.count && Double(doubted.count) <= Double(decided) * share,
            "\(doubted.prefix(20))"
        )
    }
}
