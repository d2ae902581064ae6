// SPDX-License-Identifier: Apache-2.0

internal import PacketPump

/// What happened on a lane between its first and its last sample. A figure that could not be measured is nil.
struct LaneWindow: Hashable, Sendable {
    /// The packets from which on Little's law gives a delay: fewer leave too much to the moments of the samples.
    static let leastPackets: UInt64 = 100

    var length: Duration
    var left: UInt64
    var leftBytes: UInt64
    var drops: UInt64
    var modelDrops: UInt64?
    var ownDrops: UInt64?
    /// The packets and bytes held at the end, and the smallest number of each at any sample.
    var held: UInt64
    var heldBytes: UInt64?
    var leastHeld: UInt64
    var leastHeldBytes: UInt64?
    /// The integrals over time of the packets and of the bytes that were held, by the trapezoidal rule.
    private var heldTime: Double
    private var heldByteTime: Double?
    private var delays: FlowEntry.Delays?
    /// The number of samples, of which the first and the last are the window's ends.
    private(set) var samples: Int

    /// The window of these samples; nil for fewer than two.
    init?(_ samples: ArraySlice<LaneSample>) {
        guard let first = samples.first, let last = samples.last, last.continues(first) else { return nil }
        length = last.time - first.time
        left = last.left - first.left
        leftBytes = last.leftBytes - first.leftBytes
        drops = last.drops - first.drops
        modelDrops = Self.difference(last.modelDrops, first.modelDrops)
        ownDrops = Self.difference(last.ownDrops, first.ownDrops)
        (held, heldBytes) = (last.held, last.heldBytes)
        if let packets = Self.difference(last.delays?.packets, first.delays?.packets),
            let nanoseconds = Self.difference(last.delays?.nanoseconds, first.delays?.nanoseconds)
        {
            delays = FlowEntry.Delays(packets: packets, nanoseconds: nanoseconds)
        }
        (leastHeld, leastHeldBytes, self.samples) = (last.held, last.heldBytes, samples.count)
        (heldTime, heldByteTime) = (0, last.heldBytes.map { _ in 0 })
        var before = first
        for sample in samples {
            leastHeld = min(leastHeld, sample.held)
            if let least = leastHeldBytes, let bytes = sample.heldBytes { leastHeldBytes = min(least, bytes) }
            // The integrals take most of the time, and serve only where delays are not measured.
            if delays == nil { addHeld(from: before, to: sample) }
            before = sample
        }
    }

    private mutating func addHeld(from before: LaneSample, to after: LaneSample) {
        let seconds = (after.time - before.time) / .seconds(1)
        heldTime += Double(before.held + after.held) / 2 * seconds
        guard let sum = heldByteTime, let one = before.heldBytes, let two = after.heldBytes else { return }
        heldByteTime = sum + Double(one + two) / 2 * seconds
    }

    private static func difference(_ last: UInt64?, _ first: UInt64?) -> UInt64? {
        guard let last, let first, last >= first else { return nil }
        return last - first
    }

    /// The packets whose fate was decided.
    var packets: UInt64 { left + drops }

    /// Bits of frames that left, in a second.
    var rate: Double { Double(leftBytes) * 8 / (length / .seconds(1)) }

    /// The share of packets that were lost; nil without packets.
    var loss: Double? { packets > 0 ? Double(drops) / Double(packets) : nil }

    /// The mean delay of the packets that left; nil if it was not measured.
    var delay: Delay? {
        if let delays {
            guard delays.packets > 0 else { return nil }
            let mean = Double(delays.nanoseconds) / Double(delays.packets)
            return Delay(mean: .nanoseconds(Int64(mean)), packets: delays.packets, isEstimate: false)
        }
        guard left >= Self.leastPackets, leftBytes > 0 else { return nil }
        // Bytes, where they are known: a queue may hold a super-packet that leaves as many packets.
        let seconds = heldByteTime.map { $0 / Double(leftBytes) } ?? heldTime / Double(left)
        return Delay(mean: .seconds(seconds), packets: left, isEstimate: true)
    }

    struct Delay: Hashable, Sendable {
        var mean: Duration
        /// The number of packets of which this is the mean.
        var packets: UInt64
        /// Whether it follows from the packets held and the rate: Little's law.
        var isEstimate: Bool
    }
}
