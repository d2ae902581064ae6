// SPDX-License-Identifier: Apache-2.0

/// The packets between their arrival and the bottleneck, in the order of their times.
///
/// Packets in order, usually all of them, wait in a ring; only packets that overtake go through the heap.
struct DelayLine: Sendable {
    private var inOrder = HeldPacketQueue()
    private var overtaking = PacketHeap()

    @inline(__always)
    var first: HeldPacket? {
        guard let early = overtaking.first else { return inOrder.first }
        guard let usual = inOrder.first else { return early }
        return early.isBefore(usual) ? early : usual
    }

    /// The time of the first packet; `Int64.max` if there is none.
    @inline(__always)
    var firstTime: Int64 {
        overtaking.count == 0 ? inOrder.firstTime : min(overtaking.first?.time ?? .max, inOrder.firstTime)
    }

    @inline(__always)
    mutating func insert(_ packet: HeldPacket) {
        if let last = inOrder.last, packet.isBefore(last) {
            overtaking.insert(packet)
        } else {
            inOrder.append(packet)
        }
    }

    /// Removes and returns the first packet; the delay line must not be empty.
    @inline(__always)
    mutating func removeFirst() -> HeldPacket {
        guard let early = overtaking.first else { return inOrder.removeFirst() }
        guard let usual = inOrder.first, !early.isBefore(usual) else { return overtaking.removeFirst() }
        return inOrder.removeFirst()
    }
}
