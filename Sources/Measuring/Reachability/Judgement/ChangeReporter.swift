// SPDX-License-Identifier: Apache-2.0

/// Decides which verdicts to report: each change once; for a flapping target only the start and the end of flapping.
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

    /// When to report the end of flapping if nothing changes until then; nil if the target does not flap.
    var due: Duration? { damping.end }

    /// Forgets earlier changes, because the changes to come have another cause.
    mutating func reset() { damping.reset() }

    /// Processes a verdict; returns the change to report, or nil.
    mutating func update(_ verdict: PathVerdict, at now: Duration) -> Change? {
        damping.decay(to: now)
        let hasFlipped =
            latest.state.isReachable && verdict.state.isDown || latest.state.isDown && verdict.state.isReachable
        if hasFlipped { damping.change(at: now) }
        latest = verdict
        latest.isFlapping = damping.isSuppressing
        // While the target flaps, no changes are reported; the start and the end of flapping are.
        guard !(reported.isFlapping && latest.isFlapping) else { return nil }
        let hasChanged = latest.state != reported.state || latest.reason != reported.reason
        guard hasChanged || latest.isFlapping != reported.isFlapping else { return nil }
        let change = Change(from: reported, to: latest)
        reported = latest
        return change
    }
}
