// SPDX-License-Identifier: Apache-2.0

/// Turns evidence about one target into verdicts. Pure: it knows no clock but that of the evidence.
///
/// The first answer makes a target reachable and the kernel's word makes it unreachable, both at once; of a target that
/// nothing is known of, so does the first word that it is not; else it takes as many probes in a row as the policy
/// says. Probes that the monitor could not send say nothing.
public struct Judge: Sendable {
    /// How evidence becomes a verdict.
    public let policy: Policy
    /// What is known now.
    public private(set) var verdict: Verdict
    /// Why the last probes taught nothing; nil where they did.
    public private(set) var obstacle: Reason?

    private var window: SampleWindow
    private var answers = 0
    private var failures = 0
    private var calm = 0
    /// Whether the next answer is enough to be reachable.
    private var isLifted = false
    /// How long the last answer took.
    private(set) var lastRoundTrip: Duration?
    /// How many answers and losses there have been.
    private(set) var total = 0
    private var firstOfRun = Duration.zero
    private var lastAnswer: Duration
    /// When the last probe was sent that taught anything.
    public private(set) var lastEvidence: Duration

    /// Knows nothing, as of `time`.
    public init(_ policy: Policy = Policy(), at time: Duration) {
        self.policy = policy
        verdict = Verdict(state: .unknown, reason: nil, since: time, generation: 0, isFlapping: false)
        window = SampleWindow(policy)
        lastEvidence = time
        lastAnswer = time
    }

    /// Takes one more piece of evidence.
    public mutating func take(_ evidence: Evidence) {
        let time = evidence.time
        switch evidence.finding {
        case .nothing(let reason):
            obstacle = reason
            return
        case .answered(let roundTrip):
            lastAnswer = max(lastAnswer, time)
            answer(roundTrip, at: time)
        // Of probes under way together an earlier one may be given up after a later one's answer.
        case .failed where time < lastAnswer: window.add(nil, at: time)
        case .failed(let reason): fail(reason, at: time)
        case .impossible(let reason): fail(reason, at: time, atOnce: true)
        }
        obstacle = nil
        total += 1
        lastEvidence = max(lastEvidence, time)
    }

    /// Lets time pass without evidence.
    ///
    /// - Parameters:
    ///   - now: the time until which no evidence came.
    ///   - timeout: how long an answer may take, if not as long as the policy's `timeout`.
    public mutating func wait(until now: Duration, timeout: Duration? = nil) {
        // In the balance evidence does not become old sooner: probes sent before are still under way.
        let interval = max(interval, policy.interval)
        if now - lastEvidence > interval * policy.staleIntervals + (timeout ?? policy.timeout) { forget() }
    }

    /// What the kernel said does not hold any more: the next probe decides.
    mutating func lift(at time: Duration) {
        guard verdict.state.isDown, verdict.reason?.scope == .local else { return }
        isLifted = true
        lastEvidence = max(lastEvidence, time)
    }

    /// Takes what is known for out of date.
    public mutating func forget() {
        guard verdict.state != .unknown else { return }
        enter(.unknown, .stale, since: lastEvidence)
        window.clear()
        (answers, failures) = (0, 0)
    }

    /// Begins measuring anew, as a link does that has other conditions now; the verdict holds until it is known better.
    mutating func restartMeasurement() {
        window.clear()
        calm = 0
    }

    /// How many probes the verdict rests on.
    var windowCount: Int { window.count }

    /// The probes that the verdict rests on.
    public var statistics: Statistics {
        let times = window.percentiles(0.5, 0.95)
        var statistics = Statistics()
        statistics.count = window.count
        statistics.loss = window.loss ?? 0
        statistics.last = lastRoundTrip
        if times.count == 2 { (statistics.median, statistics.percentile95) = (times[0], times[1]) }
        statistics.jitter = window.jitter
        return statistics
    }

    /// When to probe again.
    public var interval: Duration {
        let isInBalance =
            verdict.isReachable ? failures > 0 : verdict.state == .unknown || answers > 0 || isLifted
        if isInBalance { return min(policy.fastInterval, policy.interval) }
        return verdict.state.isDown ? policy.downInterval : policy.interval
    }

    private mutating func answer(_ roundTrip: Duration, at time: Duration) {
        if answers == 0 { firstOfRun = time }
        (answers, failures) = (answers + 1, 0)
        defer { isLifted = false }
        if verdict.state.isDown, answers < policy.rise, !isLifted { return }
        if !verdict.isReachable {
            // What was measured before belongs to the outage.
            window.clear()
            enter(.reachable, nil, since: firstOfRun)
        }
        lastRoundTrip = roundTrip
        window.add(roundTrip, at: time)
        judgeQuality(at: time)
    }

    private mutating func fail(_ reason: Reason, at time: Duration, atOnce: Bool = false) {
        if failures == 0 { firstOfRun = time }
        (answers, failures, isLifted) = (0, failures + 1, false)
        window.add(nil, at: time)
        if verdict.state.isDown {
            if verdict.reason != reason { enter(.init(of: reason), reason, since: verdict.since) }
        } else if atOnce || failures >= policy.fall || verdict.state == .unknown && !reason.isSilence {
            enter(.init(of: reason), reason, since: firstOfRun)
        } else if verdict.isReachable {
            judgeQuality(at: time)
        }
    }

    /// Of a target that answers: whether it does so well.
    private mutating func judgeQuality(at time: Duration) {
        let loss = window.loss ?? 0
        let isSlow = window.isSlow
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
}
