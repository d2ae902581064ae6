// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import Netlink

/// The queue of the bottleneck. netem alone cannot limit it: netem's limit also counts the packets in flight, and
/// counts each packet as one, whatever its size.
///
/// A policer counts bytes instead. Its bucket has the size of the queue and is filled at the rate, so that the bucket
/// has a frame's bytes exactly if the queue has room for them. The policer is the filter of a prio qdisc, since netem
/// has no filters. No queueing qdisc would do: red considers its queue empty while its packets wait in a netem
/// (red_dequeue in sch_red.c), and tbf sends a frame on an idle link without the transmission time.
extension LaneQdiscs {
    /// The limit, in packets, of a netem that must not drop packets because of its limit.
    static let unlimited: UInt32 = 1_000_000

    /// Limits the queue to its size in `impairments`. If that is impossible, changes nothing and returns the reason.
    mutating func limitQueue(_ impairments: Impairments, _ context: LaneContext) -> String? {
        guard let rate = impairments.rate else { return nil }
        var lane = self
        let queue = impairments.queue ?? .default(atRate: rate, overhead: impairments.overhead)
        let isCounted = if case .packets = queue { true } else { false }
        // A constant delay does not affect a policer: packets reach it at the same intervals. But netem's limit counts
        // only the queue if nothing else is in flight.
        if Self.selectsPackets(netem) || isCounted && netem.latency > 0 {
            guard lane.separatePath() else { return "duplicates together with a rate and loss, jitter or reordering" }
        }
        switch queue {
        case .packets(let packets): lane.netem.limit = UInt32(min(max(packets, 1), UInt64(Self.unlimited)))
        case .bytes(let bytes):
            if let reason = lane.police(Double(bytes) / netem.bytesPerSecond, impairments, context) { return reason }
        case .time(let time):
            if let reason = lane.police(time / .seconds(1), impairments, context) { return reason }
        }
        self = lane
        return nil
    }

    /// Whether `netem` affects which packets reach the bottleneck's queue, their order or their intervals.
    static func selectsPackets(_ netem: Netem) -> Bool {
        netem.loss != .random(0) || netem.jitter > 0 || netem.gap > 0
    }

    /// Adds a policer that limits the queue to the bytes sent in `seconds`; returns the reason if that is impossible.
    private mutating func police(_ seconds: Double, _ impairments: Impairments, _ context: LaneContext) -> String? {
        guard context.canPolice else { return "a queue in bytes (needs sch_prio and act_police)" }
        let rate = netem.rate
        let usesCells = (rate.cellSize, rate.cellOverhead) == (48, 5)
        guard usesCells || rate.cellSize == 0 else { return "a queue in bytes together with cells other than ATM's" }
        guard let overhead = UInt16(exactly: rate.packetOverhead) else {
            return "a queue in bytes together with an overhead of \(rate.packetOverhead) bytes"
        }
        // On an idle link a frame is sent at once, whatever the size of the queue.
        let largest = Int(NetemTranslation.splitter(mtu: context.mtu).burst)
        let frame = Double(impairments.overhead?.wireBytes(ofFrame: largest) ?? largest) / netem.bytesPerSecond
        let ticks = (max(seconds, frame) * 1e9 / Double(Policer.tick)).rounded(.up)
        guard let burst = UInt32(exactly: ticks) else { return "a queue of more than 274 s" }
        policer = Policer(
            bytesPerSecond: rate.bytesPerSecond,
            packetOverhead: overhead,
            usesATMCells: usesCells,
            burst: burst
        )
        netem.limit = Self.unlimited
        return nil
    }

    /// Moves all impairments but the rate into a second netem, ahead of the queue; returns false if the kernel does not
    /// allow that: since 2025, and in Debian's Linux 6.1, a netem that duplicates must be the only one of its device.
    private mutating func separatePath() -> Bool {
        guard netem.duplicate == 0 else { return false }
        var path = netem
        path.limit = Self.unlimited
        path.rate = Netem.Rate(bytesPerSecond: netem.jitter > 0 ? NetemTranslation.orderingRate : 0)
        self.path = path
        var bottleneck = Netem(limit: Self.unlimited)
        bottleneck.rate = netem.rate
        netem = bottleneck
        return true
    }
}

extension Netem {
    fileprivate var bytesPerSecond: Double { Double(max(rate.bytesPerSecond, 1)) }
}
