// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// The packets that a queue has dropped, each with the time of the drop in ``HeldPacket/time``.
typealias DroppedPackets = HeldPacketQueue

/// A queue at the bottleneck that chooses the next packet to send, and which packets to drop or to mark.
///
/// Packets carry the time at which they came in `time`, and their bytes on the wire in `bytes`. Times do not decrease from
/// one call to the next.
protocol QueueDiscipline: Sendable {
    /// The packets in the queue, and their bytes.
    var count: Int { get }
    var bytes: Int { get }

    /// Adds a packet that comes now, and drops it or others instead.
    mutating func enqueue(_ packet: HeldPacket, _ capacity: QueueCapacity, _ dropped: inout DroppedPackets)

    /// Removes and returns the next packet to send; nil if there is none. It may drop others first.
    mutating func dequeue(at now: Int64, _ dropped: inout DroppedPackets) -> HeldPacket?
}

extension QueueDiscipline {
    /// Whether a packet of this size would exceed the capacity. An empty queue takes a packet of any size.
    @inline(__always)
    func isFull(for packet: HeldPacket, _ capacity: QueueCapacity) -> Bool {
        count > 0 && (count >= capacity.packets || bytes > capacity.bytes - Int(packet.bytes))
    }
}

extension HeldPacketQueue {
    /// Adds a packet that is dropped at a time.
    mutating func drop(_ packet: HeldPacket, at now: Int64, _ reason: QueueDrop) {
        var packet = packet
        packet.time = now
        packet.drop = reason
        append(packet)
    }
}

/// Why a queue drops a packet.
enum QueueDrop: UInt8, Sendable {
    case none
    /// It has no room.
    case full
    /// Its management wants the sender to slow down.
    case management
    /// It has no room, while a step of the schedule holds packets back.
    case outage

    /// The reason of the packet's fate; nil for none.
    var reason: DropReason? {
        switch self {
        case .none: nil
        case .full: .queueFull
        case .management: .queueManagement
        case .outage: .outage
        }
    }
}
