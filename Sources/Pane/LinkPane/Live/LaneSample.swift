// SPDX-License-Identifier: Apache-2.0

internal import LinkConditioning
internal import LinkProfiles
internal import Netlink
internal import PacketPump

/// The counters of a lane at one time. Packets are wire packets; bytes are those of frames.
struct LaneSample: Hashable, Sendable {
    /// The time by `BootClock`.
    var time: Duration
    var left: UInt64 = 0
    var leftBytes: UInt64 = 0
    /// Packets dropped for any reason, and those that linkcond itself lost.
    var drops: UInt64 = 0
    /// The drops by the loss model; nil if the counters do not tell them from those of a full queue.
    var modelDrops: UInt64?
    /// The drops by linkcond itself: it ran out of memory, or the kernel refused the packet. Nil if not counted.
    var ownDrops: UInt64?
    /// Packets held now.
    var held: UInt64 = 0
    /// Bytes held now; nil if not counted.
    var heldBytes: UInt64?
    /// The packets that left with a known delay, and the sum of their delays; nil if delays are not measured.
    var delays: FlowEntry.Delays?
}

extension LaneSample {
    /// The counters of a pump's lane.
    init(_ counters: LaneCounters, _ delays: FlowEntry.Delays?, at time: Duration) {
        self.init(
            time: time,
            left: counters.left,
            leftBytes: counters.leftBytes,
            drops: counters.allDrops,
            modelDrops: counters.drops(.randomLoss) + counters.drops(.burstLoss),
            ownDrops: counters.drops(.memory) + counters.drops(.refused),
            held: counters.queued,
            delays: delays
        )
    }

    /// The counters of a lane's outermost qdisc.
    init(_ statistics: QdiscStatistics, at time: Duration) {
        self.init(
            time: time,
            left: statistics.packets,
            leftBytes: statistics.bytes,
            drops: UInt64(statistics.drops),
            held: UInt64(statistics.queuedPackets),
            heldBytes: UInt64(statistics.queuedBytes)
        )
    }

    /// The counters of a lane as another process reports them.
    init(_ counters: StatusReport.Counters, at time: Duration) {
        self.init(
            time: time,
            left: counters.sentPackets,
            leftBytes: counters.sentBytes,
            drops: counters.droppedPackets,
            held: counters.heldPackets,
            heldBytes: counters.heldBytes
        )
    }

    /// Whether these are later counters of the same lane: a new lane counts from zero.
    func continues(_ earlier: LaneSample) -> Bool {
        time > earlier.time && left >= earlier.left && leftBytes >= earlier.leftBytes && drops >= earlier.drops
    }
}
