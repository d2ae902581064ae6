// SPDX-License-Identifier: Apache-2.0

/// A FIFO queue in a ring buffer, which doubles when it is full and never shrinks.
struct HeldPacketQueue: Sendable {
    private var slots: [HeldPacket] = []
    private var head = 0
    private(set) var count = 0

    @inline(__always)
    var isEmpty: Bool { count == 0 }

    @inline(__always)
    var first: HeldPacket? {
        count == 0 ? nil : slots[head]
    }

    /// The time of the first packet; `Int64.max` if there is none.
    @inline(__always)
    var firstTime: Int64 {
        count == 0 ? .max : slots[head].time
    }

    @inline(__always)
    var last: HeldPacket? {
        count == 0 ? nil : slots[(head + count - 1) & (slots.count - 1)]
    }

    /// The packet with this number of others before it.
    subscript(index: Int) -> HeldPacket {
        precondition(index < count, "no packet is there")
        return slots[(head + index) & (slots.count - 1)]
    }

    @inline(__always)
    mutating func append(_ packet: HeldPacket) {
        if count == slots.count { grow(filler: packet) }
        slots[(head + count) & (slots.count - 1)] = packet
        count += 1
        precondition(count <= slots.count, "a packet was written over another")
    }

    /// Removes and returns the first packet; the ring must not be empty.
    @inline(__always)
    mutating func removeFirst() -> HeldPacket {
        // An empty ring still has old packets in its slots.
        precondition(count > 0, "no packet is left")
        let packet = slots[head]
        head = (head + 1) & (slots.count - 1)
        count -= 1
        return packet
    }

    @inline(never)
    private mutating func grow(filler: HeldPacket) {
        let capacity = max(64, slots.count * 2)
        precondition(capacity & (capacity - 1) == 0, "no power of two")
        var larger: [HeldPacket] = []
        larger.reserveCapacity(capacity)
        larger.append(contentsOf: slots[head...])
        larger.append(contentsOf: slots[..<head])
        larger.append(contentsOf: repeatElement(filler, count: capacity - slots.count))
        slots = larger
        head = 0
    }
}
