// SPDX-License-Identifier: Apache-2.0

/// A queue in the order of arrival. A full one drops the packet that arrives, or its oldest ones.
struct FIFOQueue: QueueDiscipline {
    private var packets = HeldPacketQueue()
    private(set) var bytes = 0
    private let dropsHead: Bool

    init(dropsHead: Bool) { self.dropsHead = dropsHead }

    var count: Int { packets.count }

    mutating func enqueue(_ packet: HeldPacket, _ capacity: QueueCapacity, _ dropped: inout DroppedPackets) {
        enqueue(packet, capacity, sending: nil, &dropped)
    }

    /// Adds a packet that comes now, and drops it or others instead.
    ///
    /// - Parameter sent: the bytes of the packet that the link sends, which has a part of the capacity as in ``Bottleneck``.
    mutating func enqueue(
        _ packet: HeldPacket,
        _ capacity: QueueCapacity,
        sending sent: Int?,
        _ dropped: inout DroppedPackets
    ) {
        while isFull(for: packet, capacity, sending: sent) {
            guard dropsHead, count > 0 else { return dropped.drop(packet, at: packet.time, capacity.fullReason) }
            dropped.drop(removeFirst(), at: packet.time, capacity.fullReason)
        }
        packets.append(packet)
        bytes += Int(packet.bytes)
    }

    private func isFull(for packet: HeldPacket, _ capacity: QueueCapacity, sending sent: Int?) -> Bool {
        let (count, bytes) = (count + (sent == nil ? 0 : 1), bytes + (sent ?? 0))
        return count > 0 && (count >= capacity.packets || bytes > capacity.bytes - Int(packet.bytes))
    }

    mutating func dequeue(at now: Int64, _ dropped: inout DroppedPackets) -> HeldPacket? {
        packets.isEmpty ? nil : removeFirst()
    }

    private mutating func removeFirst() -> HeldPacket {
        let packet = packets.removeFirst()
        bytes -= Int(packet.bytes)
        return packet
    }
}
