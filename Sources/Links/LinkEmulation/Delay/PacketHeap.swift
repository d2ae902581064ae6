// SPDX-License-Identifier: Apache-2.0

/// A binary heap of packets, the earliest first; its storage is reused.
struct PacketHeap: Sendable {
    private var slots: [HeldPacket] = []

    @inline(__always)
    var count: Int { slots.count }

    @inline(__always)
    var first: HeldPacket? {
        slots.isEmpty ? nil : slots[0]
    }

    mutating func insert(_ packet: HeldPacket) {
        slots.append(packet)
        var index = slots.count - 1
        while index > 0 {
            let parent = (index - 1) / 2
            guard packet.isBefore(slots[parent]) else { break }
            slots[index] = slots[parent]
            index = parent
        }
        slots[index] = packet
        precondition(!packet.isBefore(slots[0]), "the first packet is not the earliest")
    }

    /// Removes and returns the earliest packet; the heap must not be empty.
    mutating func removeFirst() -> HeldPacket {
        let earliest = slots[0]
        let moved = slots.removeLast()
        guard !slots.isEmpty else { return earliest }
        var index = 0
        while true {
            var child = 2 * index + 1
            guard child < slots.count else { break }
            if child + 1 < slots.count, slots[child + 1].isBefore(slots[child]) { child += 1 }
            guard slots[child].isBefore(moved) else { break }
            slots[index] = slots[child]
            index = child
        }
        slots[index] = moved
        precondition(!slots[0].isBefore(earliest), "the first packet was not the earliest")
        return earliest
    }
}
