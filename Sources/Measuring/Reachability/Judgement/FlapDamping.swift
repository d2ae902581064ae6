// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Flap damping after RFC 2439: each change adds to a penalty that halves with time. While the penalty is high, changes
/// are suppressed.
struct FlapDamping: Hashable, Sendable {
    private let policy: Policy
    private var penalty = 0.0
    private var time = Duration.zero
    private(set) var isSuppressing = false

    init(_ policy: Policy) {
        self.policy = policy
    }

    /// When the suppression ends if no more changes occur; nil if changes are not suppressed.
    var end: Duration? {
        guard isSuppressing else { return nil }
        return time + policy.flapHalfLife * log2(penalty / policy.flapReuse) + .milliseconds(1)
    }

    mutating func change(at now: Duration) {
        decay(to: now)
        // The maximum bounds the suppression to four half-lives.
        penalty = min(penalty + policy.flapPenalty, policy.flapReuse * 16)
        if penalty >= policy.flapSuppress { isSuppressing = true }
    }

    mutating func reset() {
        penalty = 0
        isSuppressing = false
    }

    mutating func decay(to now: Duration) {
        guard now > time else { return }
        penalty *= exp2(-((now - time) / policy.flapHalfLife))
        time = now
        if penalty < policy.flapReuse { isSuppressing = false }
    }
}
