// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The conditions that a profile imposes on a link, to compare measurements with.
public struct PathConditions: Hashable, Sendable {
    /// The profile's name.
    public var profile: String
    /// When the profile was applied, in seconds since 1970; nil if unknown.
    public var since: Int64?
    /// The shortest round trip of a small packet; nil if the profile has no delay or rate.
    public var roundTrip: Duration?
    /// The additional delay of queries to port 53.
    public var dnsDelay: Duration
    /// The probability that a packet or its reply is lost.
    public var loss: Double

    /// Makes conditions.
    public init(
        profile: String,
        since: Int64? = nil,
        roundTrip: Duration? = nil,
        dnsDelay: Duration = .zero,
        loss: Double = 0
    ) {
        self.profile = profile
        self.since = since
        self.roundTrip = roundTrip
        self.dnsDelay = dnsDelay
        self.loss = loss
    }

    /// Whether the conditions alone explain a verdict; nil if there is nothing to explain, or too little is known.
    /// `asksDNS`: whether the probes are queries to port 53.
    func explains(_ state: PathVerdict.State, _ reason: Reason?, _ policy: Policy, asksDNS: Bool = false) -> Bool? {
        guard let reason else { return nil }
        let time = roundTrip.map { asksDNS || reason.scope == .name ? $0 + dnsDelay : $0 }
        switch (state, reason) {
        case (.degraded, .loss): return loss > policy.lossRaise
        case (.degraded, .latency): return time.map { $0 > policy.slowRoundTrip * 0.9 } ?? false
        case (.degraded, .familyBroken): return silenceIsLikely(time, policy)
        case (.unknown, _), (.suspended, _), (.reachable, _): return nil
        default: return reason.isSilence && silenceIsLikely(time, policy)
        }
    }

    /// Whether the round trip, `time`, reaches the timeout, or `policy.fall` probes in a row are lost with a
    /// probability above 0.1 %: that many make a target unreachable.
    private func silenceIsLikely(_ time: Duration?, _ policy: Policy) -> Bool {
        let isLate = time.map { $0 >= policy.timeout } ?? false
        var probability = 1.0
        for _ in 0..<max(policy.fall, 1) { probability *= loss }
        return isLate || probability > 0.001
    }

    /// A measurement that these conditions make practically impossible; nil if there is none, or too little is known.
    func contradiction(_ statistics: Statistics, _ policy: Policy) -> ConditionsMismatch? {
        guard statistics.count >= Self.fewSamples else { return nil }
        if let roundTrip, let median = statistics.median, median < roundTrip * 0.9 - .milliseconds(5) {
            return .roundTrip(expected: roundTrip, measured: median)
        }
        if Self.isRare(statistics.loss, of: statistics.count, expecting: loss) {
            return .loss(expected: loss, measured: statistics.loss)
        }
        return nil
    }

    /// Whether a share of losses as low as this has a probability below one in three million, by Chernoff's bound of
    /// the binomial distribution, which also holds for skewed distributions, such as with nearly total loss.
    private static func isRare(_ share: Double, of count: Int, expecting probability: Double) -> Bool {
        let count = Double(count)
        // Even with total loss, one answer may come from before the conditions took effect.
        let probability = min(probability, 1 - 1 / count)
        guard share < probability else { return false }
        let lost = share > 0 ? share * log(share / probability) : 0
        let answered = (1 - share) * log((1 - share) / (1 - probability))
        return count * (lost + answered) > log(3e6)
    }

    private static let fewSamples = 10
}

/// A difference between the conditions of a profile and the measurements.
public enum ConditionsMismatch: Hashable, Sendable {
    /// Answers arrive sooner than the link can carry them.
    case roundTrip(expected: Duration, measured: Duration)
    /// The share of losses is lower than the profile's.
    case loss(expected: Double, measured: Double)
}

/// Statistics of the probes on which the verdict rests.
public struct Statistics: Hashable, Sendable {
    /// The number of probes.
    public var count = 0
    /// The share of the probes that were lost.
    public var loss = 0.0
    /// The last round-trip time.
    public var last: Duration?
    /// The median of the round-trip times.
    public var median: Duration?
    /// The 95th percentile of the round-trip times.
    public var percentile95: Duration?
    /// The jitter of the round-trip times (RFC 3550).
    public var jitter: Duration?

    /// Makes statistics without probes.
    public init() {}
}

extension Reason {
    /// Whether the reason means that no response arrived, not even a refusal.
    var isSilence: Bool { Self.silences.contains(self) }

    private static let silences: Set = [
        blackHole, halfOpen, queryTimeout, tlsTimeout, firstByteTimeout, bodyTimeout,
    ]
}
