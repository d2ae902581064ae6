// SPDX-License-Identifier: Apache-2.0

/// Turns evidence about one target into verdicts. Pure: the only clock is that of the evidence.
///
/// An unknown target becomes reachable with the first answer, and unreachable with the first failure other than
/// silence. A refusal by the kernel makes any target unreachable at once. Other changes need as many results in a row
/// as the policy says. Probes that the monitor could not send are not evidence.
public struct Judge: Sendable {
    /// The policy by which evidence becomes a verdict.
    public let policy: Policy
    /// The current verdict.
    public private(set) var verdict: PathVerdict
    /// The reason why the last probe was not evidence; nil if it was.
    public private(set) var obstacle: Reason?

    private var window: SampleWindow
    private var answers = 0
    private var failures = 0
    private var goodInARow = 0
    /// Whether one answer is enough to become reachable.
    private var oneAnswerSuffices = false
    private(set) var lastRoundTrip: Duration?
    private(set) var total = 0
    private var firstOfRun = Duration.zero
    private var lastAnswer: Duration
    /// When the last probe that was evidence was sent.
    public private(set) var lastEvidence: Duration

    /// Makes a judge without evidence, as of `time`.
    public init(_ policy: Policy = Policy(), at time: Duration) {
        self.policy = policy
        verdict = PathVerdict(state: .unknown, since: time)
        window = SampleWindow(policy)
        lastEvidence = time
        lastAnswer = time
    }

    /// Adds the result of a probe, or of a route lookup.
    ///
    /// - Parameters:
    ///   - finding: the result.
    ///   - time: when the probe was sent.
    public mutating func add(_ finding: Observation.Finding, at time: Duration) {
        switch finding {
        case .nothing(let reason):
            obstacle = reason
            return
        case .answered(let roundTrip):
            lastAnswer = max(lastAnswer, time)
            answer(roundTrip, at: time)
        // If several probes are in progress, an earlier one may time out after a later one was answered.
        case .failed where time < lastAnswer: window.add(nil, at: time)
        case .failed(let reason): fail(reason, at: time)
        case .impossible(let reason): fail(reason, at: time, atOnce: true)
        }
        obstacle = nil
        total += 1
        lastEvidence = max(lastEvidence, time)
    }

    /// Makes the verdict `unknown` if there was no evidence for too long.
    ///
    /// - Parameters:
    ///   - now: the current time.
    ///   - timeout: how long an answer may take; nil for the policy's `timeout`.
    public mutating func wait(until now: Duration, timeout: Duration? = nil) {
        // Uses at least the normal interval: when an uncertain verdict shortens it, earlier probes are still in
        // progress.
        let interval = max(interval, policy.interval)
        if now - lastEvidence > interval * policy.staleIntervals + (timeout ?? policy.timeout) { forget() }
    }

    /// Records that the kernel no longer refuses to send, so that the next answer is enough to become reachable.
    mutating func liftRefusal(at time: Duration) {
        guard verdict.state.isDown, verdict.reason?.scope == .local else { return }
        oneAnswerSuffices = true
        lastEvidence = max(lastEvidence, time)
    }

    /// Makes the verdict `unknown`, because the evidence is out of date.
    public mutating func forget() {
        guard verdict.state != .unknown else { return }
        enter(.unknown, .stale, since: lastEvidence)
        window.clear()
        (answers, failures) = (0, 0)
    }

    /// Discards the measurements, because the conditions of the link have changed; the verdict stays until probes
    /// change it.
    mutating func restartMeasurement() {
        window.clear()
        goodInARow = 0
    }

    var windowCount: Int { window.count }

    /// Statistics of the probes on which the verdict rests.
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

    /// The interval until the next probe.
    public var interval: Duration {
        let isUncertain =
            verdict.isReachable ? failures > 0 : verdict.state == .unknown || answers > 0 || oneAnswerSuffices
        if isUncertain { return min(policy.fastInterval, policy.interval) }
        return verdict.state.isDown ? policy.downInterval : policy.interval
    }

    private mutating func answer(_ roundTrip: Duration, at time: Duration) {
        if answers == 0 { firstOfRun = time }
        (answers, failures) = (answers + 1, 0)
        defer { oneAnswerSuffices = false }
        if verdict.state.isDown, answers < policy.rise, !oneAnswerSuffices { return }
        if !verdict.isReachable {
            // Earlier measurements belong to the outage.
            window.clear()
            enter(.reachable, nil, since: firstOfRun)
        }
        lastRoundTrip = roundTrip
        window.add(roundTrip, at: time)
        judgeQuality(at: time)
    }

    private mutating func fail(_ reason: Reason, at time: Duration, atOnce: Bool = false) {
        if failures == 0 { firstOfRun = time }
        (answers, failures, oneAnswerSuffices) = (0, failures + 1, false)
        window.add(nil, at: time)
        if verdict.state.isDown {
            if verdict.reason != reason { enter(.init(of: reason), reason, since: verdict.since) }
        } else if atOnce || failures >= policy.fall || verdict.state == .unknown && !reason.isSilence {
            enter(.init(of: reason), reason, since: firstOfRun)
        } else if verdict.isReachable {
            judgeQuality(at: time)
        }
    }

    /// Judges loss and round-trip times of a target that answers.
    private mutating func judgeQuality(at time: Duration) {
        let loss = window.loss ?? 0
        let isSlow = window.isSlow
        // With few probes, a single loss is a large share.
        let isLossy = window.count >= Self.fewSamples && loss > policy.lossRaise
        goodInARow = isSlow || loss >= policy.lossClear ? 0 : goodInARow + 1
        if isLossy || isSlow {
            let reason = isLossy ? Reason.loss : .latency
            if verdict.state != .degraded || verdict.reason != reason {
                enter(.degraded, reason, since: verdict.state == .degraded ? verdict.since : time)
            }
        } else if verdict.state == .degraded, goodInARow >= policy.lossClearSamples {
            enter(.reachable, nil, since: time)
        }
    }

    private static let fewSamples = 10

    private mutating func enter(_ state: PathVerdict.State, _ reason: Reason?, since: Duration) {
        verdict.state = state
        verdict.reason = reason
        verdict.since = since
        verdict.generation += 1
    }
}
