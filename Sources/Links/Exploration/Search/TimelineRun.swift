// SPDX-License-Identifier: Apache-2.0

/// One run of the client under a timeline.
package struct TimelineRun: Hashable, Sendable {
    package var timeline: DisturbanceTimeline
    /// The index of the run among the runs of its timeline, from 0. The run's seed depends on this index only, so that
    /// all timelines are tried with the same seeds.
    package var attempt: Int

    package init(_ timeline: DisturbanceTimeline, attempt: Int) { (self.timeline, self.attempt) = (timeline, attempt) }

    /// The outcome of a run.
    package enum Outcome: Hashable, Sendable {
        case passed
        /// The failed checks: expectations, and the exit status.
        case failed(Set<String>)
        /// An expectation could not be decided.
        case inconclusive
    }
}

/// The number of a timeline's runs that must fail, out of `runs`, for a finding.
package struct FailureShare: Hashable, Sendable {
    package var failures: Int
    package var runs: Int

    /// The default share, two of three: a single failure may be chance.
    package static let usual = FailureShare(failures: 2, runs: 3)

    /// Makes a share; nil unless 1 <= failures <= runs <= 100.
    package init?(_ failures: Int, of runs: Int) {
        guard 1...100 ~= runs, 1...runs ~= failures else { return nil }
        self.init(failures: failures, runs: runs)
    }

    private init(failures: Int, runs: Int) { (self.failures, self.runs) = (failures, runs) }
}

/// The outcomes of one timeline's runs, and the decision whether enough of them fail.
struct TimelineEvaluation {
    let timeline: DisturbanceTimeline
    /// The outcomes, by index of the run; nil for a run that has not ended.
    private(set) var outcomes: [TimelineRun.Outcome?]
    let share: FailureShare
    /// The checks of which at least one must fail for a run to count as failed; nil if any check counts.
    var checks: Set<String>?
    /// The checks that fail under such a timeline according to earlier findings, and do not count.
    var explained: Set<String> = []
    /// The number of the timeline's runs that the search has subtracted from its `lead`.
    var countedRuns = 0

    init(_ timeline: DisturbanceTimeline, _ share: FailureShare) {
        (self.timeline, self.share) = (timeline, share)
        outcomes = Array(repeating: nil, count: share.runs)
    }

    /// The indices of the runs in which a check failed that counts.
    var failedAttempts: [Int] { outcomes.indices.filter { failures(of: $0) != nil } }

    private func failures(of attempt: Int) -> Set<String>? {
        guard case .failed(let own)? = outcomes[attempt] else { return nil }
        let counted = (checks?.intersection(own) ?? own).subtracting(explained)
        return counted.isEmpty ? nil : counted
    }

    private var ended: Int { outcomes.count { $0 != nil } }

    /// The number of runs, in order of their index, after which it was decided whether enough fail.
    var decisiveRuns: Int {
        var known = TimelineEvaluation(timeline, share)
        (known.checks, known.explained) = (checks, explained)
        for (attempt, outcome) in outcomes.enumerated() where known.fails == nil { known.outcomes[attempt] = outcome }
        return known.ended
    }

    /// Whether enough runs fail; nil while more runs are needed to decide.
    var fails: Bool? {
        let failed = failedAttempts.count
        if failed >= share.failures { return true }
        return ended - failed > share.runs - share.failures ? false : nil
    }

    /// The indices of the next runs, in ascending order: the minimum number that may decide whether enough fail.
    var neededAttempts: [Int] {
        guard fails == nil else { return [] }
        let failed = failedAttempts.count
        let toFail = share.failures - failed
        let toPass = share.runs - share.failures + 1 - (ended - failed)
        return Array(outcomes.indices.filter { outcomes[$0] == nil }.prefix(min(toFail, toPass)))
    }

    mutating func record(_ outcome: TimelineRun.Outcome, _ attempt: Int) { outcomes[attempt] = outcome }

    /// The checks that each failed in `share.failures` runs or more; if there are none, the checks that failed in any
    /// run.
    var failedChecks: Set<String> {
        var counts: [String: Int] = [:]
        for attempt in outcomes.indices {
            for check in failures(of: attempt) ?? [] { counts[check, default: 0] += 1 }
        }
        let frequent = counts.filter { $0.value >= share.failures }
        return Set((frequent.isEmpty ? counts : frequent).keys)
    }
}
