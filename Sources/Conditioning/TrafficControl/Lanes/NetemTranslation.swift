// SPDX-License-Identifier: Apache-2.0

internal import LinkEmulation
internal import LinkProfiles
internal import Netlink

/// Translates impairments to netem's options.
enum NetemTranslation {
    /// Jitter above INT_MAX nanoseconds is truncated silently (get_table and netem_change in sch_netem.c).
    static let longestJitter = Duration.nanoseconds(Int64(Int32.max))
    /// An Ethernet and an IPv4 header; with a larger negative overhead the kernel's sum wraps around.
    static let smallestFrame = 34
    /// One byte a second, netem's smallest rate.
    static let slowestRate = BitRate(bitsPerSecond: 8)
    /// netem keeps packets in order only with a rate. This rate adds no noticeable delay.
    static let orderingRate: UInt64 = 4_000_000_000
    /// 30 Gbit/s in bytes.
    static let splitterRate: UInt64 = 3_750_000_000

    /// The parts of `impairments` that netem does not support, for messages.
    static func unsupported(_ impairments: Impairments) -> [String] {
        var reasons: [String] = []
        if impairments.trace != nil { reasons.append("a trace") }
        if let rate = impairments.rate, rate < slowestRate { reasons.append("a rate below \(slowestRate)") }
        if let overhead = impairments.overhead, overhead.packet < -smallestFrame {
            reasons.append("an overhead below -\(smallestFrame) bytes")
        }
        if let jitter = impairments.jitter {
            if jitter.amount > longestJitter { reasons.append("jitter above \(longestJitter.text)") }
            if !jitter.ordered, impairments.rate != nil { reasons.append("unordered jitter together with a rate") }
        }
        if case .limited? = impairments.loss { reasons.append("a longest burst of losses") }
        if impairments.longestCorruption != nil { reasons.append("a longest burst of corruption") }
        if let management = impairments.queueManagement, !management.isDropTail {
            reasons.append("a \(management.discipline.rawValue) queue")
        }
        if impairments.competing?.isEmpty == false { reasons.append("competing traffic") }
        return reasons
    }

    /// A token bucket as large as one frame. Frames may exceed the device's MTU if the peer's MTU is larger, and may
    /// carry tags. tbf drops a packet that exceeds the bucket and cannot be segmented.
    static func splitter(mtu: UInt32) -> TokenBucket {
        let burst = max(mtu, 1500) + UInt32(Frame.headerBytes) + 8
        return TokenBucket(bytesPerSecond: splitterRate, burst: burst, limit: burst)
    }

    static func netem(_ impairments: Impairments, kind: Lane, _ context: LaneContext) -> Netem {
        let delay = impairments.delay ?? .zero
        let jitter = impairments.jitter
        let longest = delay + (jitter.map { $0.amount * ($0.distribution == .uniform ? 1 : 4) } ?? .zero)
        var netem = Netem(
            limit: QueueLimit.packets(rate: impairments.rate, delay: longest, queue: impairments.queue)
        )
        netem.latency = delay.nanoseconds
        if let jitter {
            netem.jitter = jitter.amount.nanoseconds
            netem.distribution = jitter.amount > .zero ? DelayTable.values(for: jitter.distribution) : []
        }
        netem.loss = impairments.loss.map(loss) ?? .random(0)
        netem.duplicate = impairments.duplicate.map(fraction) ?? 0
        netem.corrupt = impairments.corrupt.map(fraction) ?? 0
        if let reorder = impairments.reorder {
            netem.reorder = fraction(reorder.probability)
            netem.gap = UInt32(reorder.gap)
        }
        netem.rate = rate(impairments, context)
        netem.ecn = impairments.ecn ?? false
        // Lanes with the same seed must not lose the same packets.
        netem.seed = context.seed.map { $0 &+ UInt64(kind.order) &* 0x9E37_79B9_7F4A_7C15 }
        return netem
    }

    private static func rate(_ impairments: Impairments, _ context: LaneContext) -> Netem.Rate {
        guard let rate = impairments.rate else {
            let isOrdered = impairments.jitter.map { $0.ordered && $0.amount > .zero } ?? false
            return Netem.Rate(bytesPerSecond: isOrdered ? orderingRate : 0)
        }
        let overhead = impairments.overhead
        let missingHeader = context.hasEthernetHeader ? 0 : Int32(Frame.headerBytes)
        return Netem.Rate(
            bytesPerSecond: (rate.bitsPerSecond + 4) / 8,
            packetOverhead: Int32(overhead?.packet ?? 0) + missingHeader,
            cellSize: UInt32(overhead?.cell ?? 0),
            cellOverhead: Int32(overhead?.cellOverhead ?? 0)
        )
    }

    private static func loss(_ model: LossModel) -> Netem.Loss {
        switch model {
        case .random(let probability): .random(fraction(probability))
        // `unsupported` has refused it.
        case .limited(let bursts): .random(fraction(bursts.chance))
        case .gilbertElliott(let chain):
            .gilbertElliott(
                p: fraction(chain.p),
                r: fraction(chain.r),
                lossInBad: fraction(chain.lossInBad),
                lossInGood: fraction(chain.lossInGood)
            )
        case .fourState(let chain):
            .fourState(
                p13: fraction(chain.p13),
                p31: fraction(chain.p31),
                p32: fraction(chain.p32),
                p14: fraction(chain.p14),
                p23: fraction(chain.p23)
            )
        }
    }

    /// A probability in the kernel's unit: 0 is never, 2^32 - 1 always.
    static func fraction(_ probability: Probability) -> Netem.Fraction {
        Netem.Fraction((probability.fraction * Double(UInt32.max)).rounded())
    }
}
