// SPDX-License-Identifier: Apache-2.0

/// The impairments of one direction. An absent figure changes nothing; zero is a value like any other.
public struct Impairments: Hashable, Sendable {
    /// The rate of the bottleneck. Zero, allowed only in a step of a schedule, holds packets back.
    public var rate: BitRate?
    /// A recorded rate, instead of a constant one.
    public var trace: TraceReference?
    /// The one-way delay before the bottleneck.
    public var delay: Duration?
    /// The variation of the delay from packet to packet.
    public var jitter: Jitter?
    /// The model of packet loss.
    public var loss: LossModel?
    /// The share of packets that are duplicated.
    public var duplicate: Probability?
    /// The share of packets in which one bit is flipped.
    public var corrupt: Probability?
    /// The largest number of packets in a row that are corrupted; nil means no limit.
    public var longestCorruption: Int?
    /// The model of reordering.
    public var reorder: Reorder?
    /// The buffer of the bottleneck; nil means `QueueSize.default(atRate:overhead:)`.
    public var queue: QueueSize?
    /// How the queue chooses packets; nil means drop-tail.
    public var queueManagement: QueueManagement?
    /// Traffic of others that shares the bottleneck.
    public var competing: [CompetingFlows]?
    /// Bytes that the link layer adds to each packet.
    public var overhead: Overhead?
    /// Whether ECN-capable packets are marked (RFC 3168) where the loss model or the queue's management would drop them.
    public var ecn: Bool?

    /// Makes impairments that change nothing.
    public init() {}

    /// Returns these figures, with the figures of `base` where these are absent.
    ///
    /// A rate replaces a trace of the base, and a trace replaces a rate: a link has one bottleneck.
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
        if corrupt != nil { (merged.corrupt, merged.longestCorruption) = (corrupt, longestCorruption) }
        merged.reorder = reorder ?? base.reorder
        merged.queue = queue ?? base.queue
        merged.queueManagement = queueManagement ?? base.queueManagement
        merged.competing = competing ?? base.competing
        merged.overhead = overhead ?? base.overhead
        merged.ecn = ecn ?? base.ecn
        return merged
    }
}

extension Impairments {
    /// Whether a figure applies to each packet on the wire, or counts packets or bytes, so that an engine must split
    /// super-packets (GSO, GRO) first.
    ///
    /// True for jitter, since each packet has a different delay: a super-packet delayed as a whole would keep dozens of
    /// packets together and in order. False for a constant delay.
    public var needsWirePackets: Bool {
        rate != nil || trace != nil || isRandom
    }

    /// The long-run share of packets that are corrupted.
    public var meanCorruption: Double? {
        guard let corrupt, let longestCorruption else { return corrupt?.fraction }
        return LimitedBursts(chance: corrupt, longest: longestCorruption).mean
    }

    /// Whether decisions about packets are random.
    package var isRandom: Bool {
        jitter != nil || loss != nil || duplicate != nil || corrupt != nil || reorder != nil
    }
}

/// An impairment of packets to port 53 (UDP and TCP), in addition to the uplink's impairments.
public struct DNSImpairment: Hashable, Sendable {
    /// The delay that is added to the uplink's delay.
    public var delay: Duration

    /// Makes an impairment that delays queries by `delay`.
    public init(delay: Duration) {
        self.delay = delay
    }
}

/// Reordering: some packets skip the delay and overtake others, as in tc-netem(8).
public struct Reorder: Hashable, Sendable {
    /// The share of the candidates that overtake.
    public var probability: Probability
    /// The interval between candidates, in packets.
    public var gap: Int

    /// Makes reordering of every `gap`th packet with `probability`.
    public init(probability: Probability, gap: Int = 1) {
        self.probability = probability
        self.gap = gap
    }
}
