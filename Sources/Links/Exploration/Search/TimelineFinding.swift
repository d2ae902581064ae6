// SPDX-License-Identifier: Apache-2.0

/// A timeline under which the client fails.
package struct TimelineFinding: Hashable, Sendable {
    package let timeline: DisturbanceTimeline
    /// The kinds of disturbances.
    private let kinds: Set<DisturbanceKind>
    /// The attempts that failed.
    package var attempts: [Int]
    /// The number of attempts that ended.
    package var runs: Int
    /// The failed checks: expectations, and the exit status.
    package var checks: Set<String>
    /// Whether each smaller timeline was tried, and does not fail.
    package var isMinimal = false

    init(_ evaluation: TimelineEvaluation) {
        (timeline, attempts) = (evaluation.timeline, evaluation.failedAttempts)
        kinds = Set(timeline.kinds)
        runs = evaluation.outcomes.count { $0 != nil }
        checks = evaluation.failedChecks
    }

    /// Whether another one is the same finding: nothing else fails, and all that goes wrong here goes wrong there.
    func explains(_ other: TimelineFinding) -> Bool {
        kinds.isSubset(of: other.kinds) && checks.isSuperset(of: other.checks)
    }

    /// Whether all kinds of what goes wrong here are those of a timeline, too.
    func explains(_ other: DisturbanceTimeline) -> Bool { kinds.isSubset(of: other.kinds) }
}
