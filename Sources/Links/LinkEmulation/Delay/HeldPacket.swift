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
