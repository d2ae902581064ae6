// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// A copy of a packet inside the pipeline.
struct HeldPacket: Sendable {
    static let noBit = UInt32.max

    /// The time at which the packet reaches the bottleneck; in the bottleneck's queue, the time at which it is sent.
    var time: Int64
    /// Twice the packet's number, plus the number of the copy (0 or 1); orders packets with the same time.
    var order: UInt64
    var tag: UInt32
    /// The bytes of the frame; in the bottleneck's queue, including the link layer's overhead.
    var bytes: UInt32
    /// The damaged bit, or `noBit`; a packet of competing traffic, which nobody gets, has the number of its flow here.
    var corruptedBit: UInt32
    var isMarked: Bool
    /// Packed, so that a packet takes 32 bytes: see ``ecn``, ``drop`` and ``isVirtual``.
    private var facts: UInt8 = 0
    /// Tells flows apart in queues that have one for each.
    var flow: UInt16 = 0

    init(time: Int64, order: UInt64, tag: UInt32, bytes: UInt32, corruptedBit: UInt32 = noBit, isMarked: Bool = false) {
        (self.time, self.order, self.tag, self.bytes) = (time, order, tag, bytes)
        (self.corruptedBit, self.isMarked) = (corruptedBit, isMarked)
    }

    /// The congestion notification that the packet allows.
    var ecn: ECNSupport {
        get { ECNSupport(rawValue: facts & 3) ?? .none }
        set { facts = facts & ~3 | newValue.rawValue }
    }

    /// Why a queue has dropped the packet; `none` while it is held.
    var drop: QueueDrop {
        get { QueueDrop(rawValue: facts >> 2 & 3) ?? .none }
        set { facts = facts & ~12 | newValue.rawValue << 2 }
    }

    /// Whether the packet belongs to competing traffic, and is on no wire; the tag is then the number of its flow, and the
    /// order its number in the flow.
    var isVirtual: Bool {
        get { facts & 16 != 0 }
        set { facts = facts & ~16 | (newValue ? 16 : 0) }
    }

    @inline(__always)
    func isBefore(_ other: HeldPacket) -> Bool {
        time < other.time || (time == other.time && order < other.order)
    }

    @inline(__always)
    func departure(drop: DropReason? = nil) -> Departure {
        Departure(
            tag: tag,
            due: LinkTime(nanoseconds: time),
            copy: UInt8(truncatingIfNeeded: order & 1),
            isMarked: isMarked,
            corruptedBit: corruptedBit == Self.noBit ? nil : corruptedBit,
            drop: drop
        )
    }
}
