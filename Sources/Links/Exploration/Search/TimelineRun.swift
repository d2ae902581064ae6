// SPDX-License-Identifier: Apache-2.0

/// One run of the client under a timeline.
package struct TimelineRun: Hashable, Sendable {
    package var timeline: DisturbanceTimeline
    /// The number of the run of its timeline, from 0 on. Its seed follows from it, so that all timelines have the same seeds.
    package var attempt: Int

    package init(_ timeline: DisturbanceTimeline, attempt: Int) { (self.timeline, self.attempt) = (timeline, attempt) }

    /// The outcome of a run.
    package enum Outcome: Hashable, Sendable {
        case passed
        /// Failed checks: expectations, and the exit status.
        case failed(Set<String>)
        /// An expectation has no answer.
        case inconclusive
    }
}

/// The share of a timeline's runs that must fail.
package struct FailureShare: Hashable, Sendable {
    package var failures: Int
    package var runs: Int

    /// The usual share: one failure may be chance.
    package static let usual = FailureShare(failures: 2, runs: 3)

    /// Makes a share; nil unless it is from 1 of 1 to 100 of 100.
    package init?(_ failures: Int, of runs: Int) {
        guard 1...100 ~= runs, 1...runs ~= failures else { return nil }
        self.init(failures: failures, runs: runs)
    }

    private init(failures: Int, runs: Int) { (self.failures, self.runs) = (failures, runs) }
}

/// The runs of one timeline, until it is known whether enough of them fail.
struct TimelineEvaluation {
    let timeline: DisturbanceTimeline
    /// The outcomes, by attempt; nil for one that has not ended.
    private(set) var outcomes: [TimelineRun.Outcome?]
    let share: FailureShare
    /// The checks of which one must fail; nil for any.
    var checks: Set<String>?
    /// The checks that are known to fail under such a timeline, and do not count.
    var explained: Set<String> = []
    /// The runs of it that are in the search's balance.
    var countedRuns = 0

    init(_ timeline: DisturbanceTimeline, _ share: FailureShare) {
        (self.timeline, self.share) = (timeline, share)
        outcomes = Array(repeating: nil, count: share.runs)
    }

    /// The attempts that failed in the way that is looked for.
    var failedAttempts: [Int] { outcomes.indices.filter { failures(of: $0) != nil } }

    private func failures(of attempt: Int) -> Set<String>? {
        guard case .failed(let own)? = outcomes[attempt] else { return nil }
        let counted = (checks?.intersection(own) ?? own).subtracting(explained)
        return counted.isEmpty ? nil : counted
    }

    private var ended: Int { outcomes.count { $0 != nil } }

    /// The number of first runs that decide whether enough fail.
    var decisiveRuns: Int {
        var known = TimelineEvaluation(timeline, share)
        (known.checks, known.explained) = (checks, explained)
        for (attempt, outcome) in outcomes.enumerated() where known.fails == nil { known.outcomes[attempt] = outcome }
        return known.ended
    }

    /// Whether enough runs fail; nil while that is not known.
    var fails: Bool? {
        let failed = failedAttempts.count
        if failed >= share.failures { return true }
        return ended - failed > share.runs - share.failures ? false : nil
    }

    /// The attempts that are needed at least to know it, the first first.
    var neededAttempts: [Int] {
        guard fails == nil else { return [] }
        let failed = failedAttempts.count
        let toFail = share.failures - failed
        let toPass = share.runs - share.failures + 1 - (ended - failed)
        return Array(outcomes.indices.filter { outcomes[$0] == nil }.prefix(min(toFail, toPass)))
    }

    mutating func record(_ outcome: TimelineRun.Outcome, _ attempt: Int) { outcomes[attempt] = outcome }

    /// The checks that failed in enough runs, or else in any.
    var failedChecks: Set<String> {
        var counts: [String: Int] = [:]
        for attempt in outcomes.indices {
            for check in failures(of: attempt) ?? [] { counts[check, default: 0] += 1 }
        }
        let frequent = counts.filter { $0.value >= share.failures }
        return Set((frequent.isEmpty ? counts : frequent).keys)
    }
}
