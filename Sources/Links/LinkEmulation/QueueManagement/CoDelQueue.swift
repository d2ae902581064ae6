// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// One queue with CoDel.
struct CoDelQueue: QueueDiscipline {
    private var packets = HeldPacketQueue()
    private(set) var bytes = 0
    private var state = CoDel()
    private let parameters: CoDel.Parameters

    init(_ management: QueueManagement, marks: Bool) { parameters = CoDel.Parameters(management, marks: marks) }

    var count: Int { packets.count }

    mutating func enqueue(_ packet: HeldPacket, _ capacity: QueueCapacity, _ dropped: inout DroppedPackets) {
        guard !isFull(for: packet, capacity) else { return dropped.drop(packet, at: packet.time, capacity.fullReason) }
        packets.append(packet)
        bytes += Int(packet.bytes)
    }

    mutating func dequeue(at now: Int64, _ dropped: inout DroppedPackets) -> HeldPacket? {
        // A copy: the closure changes the queue.
        var state = state
        defer { self.state = state }
        return state.dequeue(at: now, parameters, &dropped) {
            guard !packets.isEmpty else { return nil }
            let packet = packets.removeFirst()
            bytes -= Int(packet.bytes)
            return (packet, bytes)
        }
    }
}
