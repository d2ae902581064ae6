// SPDX-License-Identifier: Apache-2.0

/// A timeline under which the client fails.
package struct TimelineFinding: Hashable, Sendable {
    package let timeline: DisturbanceTimeline
    /// The kinds of the timeline's disturbances.
    private let kinds: Set<DisturbanceKind>
    /// The indices of the runs that failed.
    package var attempts: [Int]
    /// The number of runs that ended.
    package var runs: Int
    /// The failed checks: expectations, and the exit status.
    package var checks: Set<String>
    /// Whether each smaller timeline was tried and does not fail.
    package var isMinimal = false

    init(_ evaluation: TimelineEvaluation) {
        (timeline, attempts) = (evaluation.timeline, evaluation.failedAttempts)
        kinds = Set(timeline.kinds)
        runs = evaluation.outcomes.count { $0 != nil }
        checks = evaluation.failedChecks
    }

    /// Whether `other` is explained by this finding: it contains all of this one's kinds of disturbances, and no check
    /// fails there that does not fail here.
    func explains(_ other: TimelineFinding) -> Bool {
        kinds.isSubset(of: other.kinds) && checks.isSuperset(of: other.checks)
    }

    /// Whether the timeline `other` contains all of this finding's kinds of disturbances.
    func explains(_ other: DisturbanceTimeline) -> Bool { kinds.isSubset(of: other.kinds) }
}
