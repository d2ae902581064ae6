// SPDX-License-Identifier: Apache-2.0

internal import CNetlink

/// The options of the network emulator, in the kernel's own units; net/sched/sch_netem.c, tc-netem(8).
///
/// Encoded here, because libnl's own encoder counts lengths twice, reads beyond its buffer, and does not support
/// rates, loss models, 64-bit delays or seeds. Every attribute is always written, including zeros, because the kernel
/// keeps the old value of an attribute that a change does not contain.
package struct Netem: Hashable, Sendable {
    /// A probability in units of 1 / (2^32 - 1), which the kernel compares with a random number.
    package typealias Fraction = UInt32

    /// The loss model.
    package enum Loss: Hashable, Sendable {
        /// Each packet independently.
        case random(Fraction)
        /// `NETEM_LOSS_GE`: good to bad, bad to good, loss in bad, loss in good.
        case gilbertElliott(p: Fraction, r: Fraction, lossInBad: Fraction, lossInGood: Fraction)
        /// `NETEM_LOSS_GI`.
        case fourState(p13: Fraction, p31: Fraction, p32: Fraction, p14: Fraction, p23: Fraction)
    }

    /// A rate and the overhead of the link layer.
    package struct Rate: Hashable, Sendable {
        /// Bytes a second; zero means unlimited.
        package var bytesPerSecond: UInt64
        /// Bytes added to each packet.
        package var packetOverhead: Int32
        /// Bytes of payload in each cell; zero for no cells.
        package var cellSize: UInt32
        /// Bytes added to each cell.
        package var cellOverhead: Int32

        package init(
            bytesPerSecond: UInt64 = 0,
            packetOverhead: Int32 = 0,
            cellSize: UInt32 = 0,
            cellOverhead: Int32 = 0
        ) {
            self.bytesPerSecond = bytesPerSecond
            self.packetOverhead = packetOverhead
            self.cellSize = cellSize
            self.cellOverhead = cellOverhead
        }
    }

    /// The largest number of packets held, delayed or queued; zero drops all packets.
    package var limit: UInt32
    /// The delay in nanoseconds.
    package var latency: Int64 = 0
    /// The jitter in nanoseconds: the half-width without a distribution, the standard deviation with one.
    package var jitter: Int64 = 0
    /// The inverse cumulative distribution, in units of 1/8192 standard deviation; empty means uniform. The kernel does
    /// not report it.
    package var distribution: [Int16] = []
    package var loss = Loss.random(0)
    package var duplicate: Fraction = 0
    /// The probability of a flipped bit.
    package var corrupt: Fraction = 0
    /// The probability that a candidate packet skips the delay; see ``gap``.
    package var reorder: Fraction = 0
    /// The interval between packets that are candidates for reordering, in packets; zero disables reordering.
    package var gap: UInt32 = 0
    /// The rate of the bottleneck.
    package var rate = Rate()
    /// Whether to mark ECN-capable packets instead of dropping them.
    package var ecn = false
    /// The seed of the random sequence, since Linux 6.6; nil lets the kernel choose one.
    package var seed: UInt64?

    package init(limit: UInt32) { self.limit = limit }

    /// The options as the kernel reports them: without the table of the distribution.
    package var readable: Netem {
        var copy = self
        copy.distribution = []
        return copy
    }
}

extension Netem {
    /// The kernel's clock tick for qdiscs: 64 ns on every machine (PSCHED_SHIFT in include/net/pkt_sched.h).
    private static let tick: Int64 = 64

    /// Returns the value of a 32-bit field, which the 64-bit attribute overrides.
    private static func ticks(_ nanoseconds: Int64) -> UInt32 { UInt32(clamping: nanoseconds / tick) }

    /// Writes the payload of TCA_OPTIONS: the fixed header, followed by attributes.
    func write(to message: Message) {
        var header = tc_netem_qopt()
        header.latency = Self.ticks(latency)
        header.limit = limit
        if case .random(let fraction) = loss { header.loss = fraction }
        header.gap = gap
        header.duplicate = duplicate
        header.jitter = Self.ticks(jitter)
        message.append(header)

        // No correlations, which would narrow the distribution and change the mean rates; profiles have none.
        message.put(TCA_NETEM_CORR, tc_netem_corr())
        if !distribution.isEmpty { message.put(TCA_NETEM_DELAY_DIST, elements: distribution) }
        message.put(TCA_NETEM_REORDER, tc_netem_reorder(probability: reorder, correlation: 0))
        message.put(TCA_NETEM_CORRUPT, tc_netem_corrupt(probability: corrupt, correlation: 0))
        writeLoss(to: message)
        message.put(
            TCA_NETEM_RATE,
            tc_netem_rate(
                rate: UInt32(clamping: rate.bytesPerSecond),
                packet_overhead: rate.packetOverhead,
                cell_size: rate.cellSize,
                cell_overhead: rate.cellOverhead
            )
        )
        // The kernel uses the larger of the 32-bit and the 64-bit rate, and keeps the old 64-bit rate if none is sent.
        message.put(TCA_NETEM_RATE64, rate.bytesPerSecond > UInt64(UInt32.max) ? rate.bytesPerSecond : 0)
        message.put(TCA_NETEM_ECN, UInt32(ecn ? 1 : 0))
        message.put(TCA_NETEM_LATENCY64, latency)
        message.put(TCA_NETEM_JITTER64, jitter)
        message.put(TCA_NETEM_SLOT, tc_netem_slot())
        if let seed { message.put(Int(LC_TCA_NETEM_PRNG_SEED), seed) }
    }

    private func writeLoss(to message: Message) {
        switch loss {
        case .random: break  // selected by the absence of TCA_NETEM_LOSS
        case .gilbertElliott(let p, let r, let lossInBad, let lossInGood):
            message.nest(TCA_NETEM_LOSS) {
                // The field h is the probability of *not* losing in the bad state (loss_gilb_ell).
                message.put(NETEM_LOSS_GE, tc_netem_gemodel(p: p, r: r, h: ~lossInBad, k1: lossInGood))
            }
        case .fourState(let p13, let p31, let p32, let p14, let p23):
            message.nest(TCA_NETEM_LOSS) {
                message.put(NETEM_LOSS_GI, tc_netem_gimodel(p13: p13, p31: p31, p32: p32, p14: p14, p23: p23))
            }
        }
    }

    /// Decodes the payload of TCA_OPTIONS in a dump.
    init?(_ options: ArraySlice<UInt8>) {
        guard let (header, attributes) = options.parse(tc_netem_qopt.self) else { return nil }
        self.init(limit: header.limit)
        latency = attributes.value(TCA_NETEM_LATENCY64) ?? Int64(header.latency) * Self.tick
        jitter = attributes.value(TCA_NETEM_JITTER64) ?? Int64(header.jitter) * Self.tick
        duplicate = header.duplicate
        gap = header.gap
        reorder = attributes.value(TCA_NETEM_REORDER, as: tc_netem_reorder.self)?.probability ?? 0
        corrupt = attributes.value(TCA_NETEM_CORRUPT, as: tc_netem_corrupt.self)?.probability ?? 0
        loss = Self.loss(attributes.nested(TCA_NETEM_LOSS)) ?? .random(header.loss)
        if let value = attributes.value(TCA_NETEM_RATE, as: tc_netem_rate.self) {
            // The kernel uses the larger of the 32-bit and the 64-bit rate.
            rate = Rate(
                bytesPerSecond: max(attributes.value(TCA_NETEM_RATE64) ?? 0, UInt64(value.rate)),
                packetOverhead: value.packet_overhead,
                cellSize: value.cell_size,
                cellOverhead: value.cell_overhead
            )
        }
        ecn = attributes.value(TCA_NETEM_ECN, as: UInt32.self) == 1
        seed = attributes.value(Int(LC_TCA_NETEM_PRNG_SEED))
    }

    private static func loss(_ models: AttributeReader?) -> Loss? {
        if let chain = models?.value(NETEM_LOSS_GE, as: tc_netem_gemodel.self) {
            return .gilbertElliott(p: chain.p, r: chain.r, lossInBad: ~chain.h, lossInGood: chain.k1)
        }
        if let chain = models?.value(NETEM_LOSS_GI, as: tc_netem_gimodel.self) {
            return .fourState(p13: chain.p13, p31: chain.p31, p32: chain.p32, p14: chain.p14, p23: chain.p23)
        }
        return nil
    }
}
