// SPDX-License-Identifier: Apache-2.0

/// Decides which verdicts are told: each change once, and of a target that flaps only that it does.
struct ChangeReporter: Sendable {
    /// What was told last.
    private(set) var told: Verdict
    private var latest: Verdict
    private var damping: FlapDamping

    init(_ policy: Policy, _ first: Verdict) {
        (told, latest) = (first, first)
        damping = FlapDamping(policy)
    }

    /// When there is something to tell again without any news; nil where there is not.
    var due: Duration? { damping.end }

    /// Forgets earlier changes: what comes now has another cause.
    mutating func reset() { damping.reset() }

    /// Takes the verdict that holds at `now`; gives the change to tell, if there is one.
    mutating func tell(_ verdict: Verdict, at now: Duration) -> Change? {
        damping.decay(to: now)
        let hasFlipped =
            latest.state.isReachable && verdict.state.isDown || latest.state.isDown && verdict.state.isReachable
        if hasFlipped { damping.change(at: now) }
        latest = verdict
        latest.isFlapping = damping.isSuppressing
        // While it flaps, only the beginning and the end of that are told.
        guard !(told.isFlapping && latest.isFlapping) else { return nil }
        guard latest.state != told.state || latest.reason != told.reason || latest.isFlapping != told.isFlapping else {
            return nil
        }
        let change = Change(from: told, to: latest)
        told = latest
        return change
    }
}
