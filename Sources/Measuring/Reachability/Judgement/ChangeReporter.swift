// SPDX-License-Identifier: Apache-2.0

/// Decides which verdicts are reported: each change once, and of a flapping target only that it flaps.
struct ChangeReporter: Sendable {
    /// A change from the last reported verdict to a new one.
    struct Change: Equatable {
        let from: PathVerdict
        let to: PathVerdict
    }

    private(set) var reported: PathVerdict
    private var latest: PathVerdict
    private var damping: FlapDamping

    init(_ policy: Policy, _ first: PathVerdict) {
        (reported, latest) = (first, first)
        damping = FlapDamping(policy)
    }

    /// The time at which the end of flapping is due to be reported if nothing changes; nil if the target does not flap.
    var due: Duration? { damping.end }

    /// Forgets earlier changes, because later ones have another cause.
    mutating func reset() { damping.reset() }

    /// Processes the verdict at `now`, and returns the change to report, if there is one.
    mutating func update(_ verdict: PathVerdict, at now: Duration) -> Change? {
        damping.decay(to: now)
        let hasFlipped =
            latest.state.isReachable && verdict.state.isDown || latest.state.isDown && verdict.state.isReachable
        if hasFlipped { damping.change(at: now) }
        latest = verdict
        latest.isFlapping = damping.isSuppressing
        // While the target flaps, only the beginning and the end of flapping are reported.
        guard !(reported.isFlapping && latest.isFlapping) else { return nil }
        let hasChanged = latest.state != reported.state || latest.reason != reported.reason
        guard hasChanged || latest.isFlapping != reported.isFlapping else { return nil }
        let change = Change(from: reported, to: latest)
        reported = latest
        return change
    }
}
