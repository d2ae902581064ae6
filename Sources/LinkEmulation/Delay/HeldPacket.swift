// SPDX-License-Identifier: Apache-2.0

/// A copy of a packet inside the pipeline.
struct HeldPacket: Sendable {
    static let noBit = UInt32.max

    /// When it reaches the bottleneck; behind it, when it has left.
    var time: Int64
    /// Twice the packet's number, plus the copy's: the order among packets of one time.
    var order: UInt64
    var tag: UInt32
    /// Bytes of the frame, without the link layer's overhead; behind the queue's entrance, with it.
    var bytes: UInt32
    var corruptedBit: UInt32
    var isMarked: Bool

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
