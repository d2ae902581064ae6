// SPDX-License-Identifier: Apache-2.0

/// Turns evidence about one target into verdicts. Pure: it knows no clock but that of the evidence.
///
/// The first answer makes a target reachable and the kernel's word makes it unreachable, both at once; else it takes
/// as many probes in a row as the policy says. Probes that the monitor could not send say nothing.
public struct Judge: Sendable {
    /// How evidence becomes a verdict.
    public let policy: Policy
    /// What is known now.
    public private(set) var verdict: Verdict
    /// Why the last probes taught nothing; nil where they did.
    public private(set) var obstacle: Reason?

    private var told: Verdict
    private var window: SampleWindow
    private var damping: FlapDamping
    private var answers = 0
    private var failures = 0
    private var calm = 0
    private var firstOfRun = Duration.zero
    private var lastEvidence: Duration

    /// Knows nothing, as of `time`.
    public init(_ policy: Policy = Policy(), at time: Duration) {
        self.policy = policy
        verdict = Verdict(state: .unknown, reason: nil, since: time, generation: 0, isFlapping: false)
        told = verdict
        window = SampleWindow(policy)
        damping = FlapDamping(policy)
        lastEvidence = time
    }

    /// Takes one more piece of evidence; gives the change to tell, if there is one.
    public mutating func take(_ evidence: Evidence) -> Change? {
        damping.decay(to: evidence.time)
        switch evidence.finding {
        case .nothing(let reason):
            obstacle = reason
            return tell()
        case .answered(let roundTrip): answer(roundTrip, at: evidence.time)
        case .failed(let reason): fail(reason, at: evidence.time)
        case .impossible(let reason): fail(reason, at: evidence.time, atOnce: true)
        }
        obstacle = nil
        lastEvidence = max(lastEvidence, evidence.time)
        return tell()
    }

    /// Lets time pass without evidence; gives the change to tell, if there is one.
    public mutating func wait(until now: Duration) -> Change? {
        damping.decay(to: now)
        if now - lastEvidence > interval * policy.staleIntervals + policy.timeout, verdict.state != .unknown {
            enter(.unknown, .stale, since: lastEvidence)
            window.clear()
            (answers, failures) = (0, 0)
        }
        return tell()
    }

    /// When to probe again.
    public var interval: Duration {
        let isInBalance =
            verdict.isReachable ? failures > 0 : verdict.state == .unknown || answers > 0
        if isInBalance { return min(policy.fastInterval, policy.interval) }
        return verdict.state == .unreachable ? policy.downInterval : policy.interval
    }

    private mutating func answer(_ roundTrip: Duration, at time: Duration) {
        if answers == 0 { firstOfRun = time }
        (answers, failures) = (answers + 1, 0)
        if verdict.state == .unreachable, answers < policy.rise { return }
        if !verdict.isReachable {
            // What was measured before belongs to the outage.
            window.clear()
            if verdict.state == .unreachable { damping.change(at: time) }
            enter(.reachable, nil, since: firstOfRun)
        }
        window.add(roundTrip, at: time)
        judgeQuality(at: time)
    }

    private mutating func fail(_ reason: Reason, at time: Duration, atOnce: Bool = false) {
        if failures == 0 { firstOfRun = time }
        (answers, failures) = (0, failures + 1)
        window.add(nil, at: time)
        if verdict.state == .unreachable {
            if verdict.reason != reason { enter(.unreachable, reason, since: verdict.since) }
        } else if atOnce || failures >= policy.fall {
            if verdict.isReachable { damping.change(at: time) }
            enter(.unreachable, reason, since: firstOfRun)
        } else if verdict.isReachable {
            judgeQuality(at: time)
        }
    }

    /// Of a target that answers: whether it does so well.
    private mutating func judgeQuality(at time: Duration) {
        let loss = window.loss ?? 0
        let isSlow = window.percentile(0.95).map { $0 > policy.slowRoundTrip } ?? false
        // Of few probes one lost is a large share.
        let isLossy = window.count >= Self.fewSamples && loss > policy.lossRaise
        calm = isSlow || loss >= policy.lossClear ? 0 : calm + 1
        if isLossy || isSlow {
            let reason = isLossy ? Reason.loss : .latency
            if verdict.state != .degraded || verdict.reason != reason {
                enter(.degraded, reason, since: verdict.state == .degraded ? verdict.since : time)
            }
        } else if verdict.state == .degraded, calm >= policy.lossClearSamples {
            enter(.reachable, nil, since: time)
        }
    }

    private static let fewSamples = 10

    private mutating func enter(_ state: Verdict.State, _ reason: Reason?, since: Duration) {
        verdict.state = state
        verdict.reason = reason
        verdict.since = since
        verdict.generation += 1
    }

    /// The change since what was told last. While it flaps, only the beginning and the end of that are told.
    private mutating func tell() -> Change? {
        verdict.isFlapping = damping.isSuppressing
        let isHeldBack = told.isFlapping && verdict.isFlapping
        guard !isHeldBack else { return nil }
        guard verdict.state != told.state || verdict.reason != told.reason || verdict.isFlapping != told.isFlapping
        else {
            return nil
        }
        let change = Change(from: told, to: verdict)
        told = verdict
        return change
    }
}
