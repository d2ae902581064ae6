// SPDX-License-Identifier: Apache-2.0

/// A named description of a link, as the conditioned host sees it.
///
/// An absent direction, or an absent figure in one, leaves that part of the link untouched.
public struct Profile: Hashable, Sendable {
    /// What people call it; unique within a catalog.
    public var name: String
    /// One line on what link this is.
    public var summary: String?
    /// Where the figures come from, or "judgement".
    public var source: String?
    /// What happens to traffic towards the host.
    public var downlink: Impairments?
    /// What happens to traffic away from the host.
    public var uplink: Impairments?
    /// What happens, beyond the uplink's impairments, to queries leaving for port 53.
    public var dns: DNSImpairment?
    /// Start of the random sequences; absent means a different run every time.
    public var seed: UInt64?
    /// How the figures change with time.
    public var schedule: Schedule?

    /// Makes a profile that conditions nothing yet.
    public init(name: String) {
        self.name = name
    }

    /// Whether uplink and downlink are described alike.
    public var isSymmetric: Bool { uplink == downlink }

    /// The name without what spelling does not decide: case, spaces, dashes and other punctuation.
    public static func normalized(_ name: String) -> String {
        // "+" and "%" tell names apart ("LTE+", "100% Loss"); other punctuation does not.
        String(name.lowercased().filter { $0.isLetter || $0.isNumber || $0 == "." || $0 == "+" || $0 == "%" })
    }
}

/// What happens to the packets of one direction. Absent leaves untouched; zero is a figure like any other.
public struct Impairments: Hashable, Sendable {
    /// The bottleneck's rate. Zero, in a step of a schedule only, holds packets back.
    public var rate: BitRate?
    /// A recorded rate, instead of a constant one.
    public var trace: TraceReference?
    /// One-way delay ahead of the bottleneck.
    public var delay: Duration?
    /// How the delay varies from packet to packet.
    public var jitter: Jitter?
    /// Which packets are lost.
    public var loss: LossModel?
    /// The share of packets sent twice.
    public var duplicate: Probability?
    /// The share of packets in which one bit is flipped.
    public var corrupt: Probability?
    /// Which packets overtake others.
    public var reorder: Reorder?
    /// The buffer at the bottleneck; absent means the larger of 16 full-size packets and 300 ms at the rate.
    public var queue: QueueSize?
    /// Bytes that the link layer adds to each packet.
    public var overhead: Overhead?
    /// Whether packets that allow it are marked (RFC 3168) where the loss model would drop them.
    public var ecn: Bool?

    /// Makes impairments that leave everything untouched.
    public init() {}

    /// These figures where they are present, those of `base` elsewhere.
    ///
    /// A rate replaces a trace of the base and the other way round: one link has one bottleneck.
    public func overriding(_ base: Impairments) -> Impairments {
        var merged = base
        if rate != nil || trace != nil {
            merged.rate = rate
            merged.trace = trace
        }
        merged.delay = delay ?? base.delay
        merged.jitter = jitter ?? base.jitter
        merged.loss = loss ?? base.loss
        merged.duplicate = duplicate ?? base.duplicate
        merged.corrupt = corrupt ?? base.corrupt
        merged.reorder = reorder ?? base.reorder
        merged.queue = queue ?? base.queue
        merged.overhead = overhead ?? base.overhead
        merged.ecn = ecn ?? base.ecn
        return merged
    }
}

/// What happens to packets leaving for port 53 (UDP and TCP), beyond the uplink's impairments.
public struct DNSImpairment: Hashable, Sendable {
    /// Added to the uplink's delay.
    public var delay: Duration

    /// Makes an impairment that delays queries by `delay`.
    public init(delay: Duration) {
        self.delay = delay
    }
}

/// How the delay varies around its mean. A delay below zero is zero.
public struct Jitter: Hashable, Sendable {
    /// The shape of the variation.
    public enum Distribution: String, CaseIterable, Sendable {
        /// Every delay from `delay - amount` to `delay + amount` is as likely.
        case uniform
        /// The bell curve.
        case normal
        /// A long tail of late packets.
        case pareto
        /// A quarter normal, three quarters Pareto, as in tc-netem(8).
        case paretonormal
    }

    /// The half-width of a uniform distribution, the standard deviation of the others.
    public var amount: Duration
    /// The shape of the variation.
    public var distribution: Distribution
    /// Whether a packet leaves no earlier than the one before it, so that the delays are a running maximum.
    public var ordered: Bool

    /// Makes jitter; uniform and ordered where nothing else is said.
    public init(amount: Duration, distribution: Distribution = .uniform, ordered: Bool = true) {
        self.amount = amount
        self.distribution = distribution
        self.ordered = ordered
    }
}

/// Packets that skip the delay and so overtake others, as in tc-netem(8).
public struct Reorder: Hashable, Sendable {
    /// The share of the candidates that overtake.
    public var probability: Probability
    /// Every how many packets one is a candidate.
    public var gap: Int

    /// Makes reordering of every `gap`th packet with `probability`.
    public init(probability: Probability, gap: Int = 1) {
        self.probability = probability
        self.gap = gap
    }
}

/// What a link layer adds to a packet before it is sent.
public struct Overhead: Hashable, Sendable {
    /// Bytes added to each packet; negative where the link saves some, as by header compression.
    public var packet: Int
    /// Bytes of payload in each cell; absent where the link has none (ATM: 48).
    public var cell: Int?
    /// Bytes added to each cell (ATM: 5).
    public var cellOverhead: Int?

    /// Makes an overhead of `packet` bytes a packet.
    public init(packet: Int, cell: Int? = nil, cellOverhead: Int? = nil) {
        self.packet = packet
        self.cell = cell
        self.cellOverhead = cellOverhead
    }

    /// The bytes on the wire for a frame of `bytes` bytes.
    public func wireBytes(ofFrame bytes: Int) -> Int {
        let length = max(bytes + packet, 1)
        guard let cell, cell > 0 else { return length }
        return (length + cell - 1) / cell * (cell + (cellOverhead ?? 0))
    }
}
