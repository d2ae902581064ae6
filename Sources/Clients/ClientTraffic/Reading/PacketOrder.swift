// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets

/// Orders events by time: the sending of each packet, and the delivery of each packet of the server.
///
/// A capture records a packet that the host receives at its delivery; packets that were sent before that one may
/// follow. From time to time, the capture states until when it is complete, and the events before that time are
/// returned. Without such statements, the packets are in order but for a few, and events are returned only once more
/// than `limit` packets wait.
struct PacketOrder {
    /// The kinds of events.
    enum Event {
        case sent(FlowPacket)
        case delivered(Delivery)
    }

    /// A packet of the server that has been sent, and not yet delivered to the client.
    struct Delivery: PacketEvent {
        let packet: FlowPacket
        /// The position of the packet's data in the server's stream.
        let position: Int64

        var time: Int64 { packet.delivered }
        var number: UInt32 { packet.number }
    }

    /// The maximum number of packets that wait, 56 bytes each. Beyond it, the earliest event is returned at once.
    private let limit: Int
    private var sent = MergeQueue<FlowPacket>(streams: 2)
    private var delivered = MergeQueue<Delivery>(streams: 1)
    /// Packets sent before this instant have been added.
    private var complete = Int64.min

    init(limit: Int = 1 << 19) { self.limit = limit }

    /// Adds a packet.
    mutating func add(_ packet: FlowPacket) { sent.add(packet, stream: packet.isDownlink ? 1 : 0) }

    /// Adds the delivery of a packet whose sending has been returned.
    mutating func add(_ delivery: Delivery) { delivered.add(delivery) }

    /// Notes that all packets sent before `time`, in nanoseconds since 1970, have been added.
    mutating func complete(until time: Int64) { complete = max(complete, time) }

    /// Removes and returns the next event; nil if an earlier one may still be added.
    mutating func next() -> Event? {
        if let event = next(before: complete) { return event }
        return sent.count > limit ? next(before: .max) : nil
    }

    /// Removes and returns the next event before `limit`, in nanoseconds since 1970.
    mutating func next(before limit: Int64) -> Event? {
        if let delivery = delivered.first, sent.first.map({ !$0.isBefore(delivery) }) ?? true {
            return delivered.removeFirst { $0.time < limit }.map { .delivered($0) }
        }
        return sent.removeFirst { $0.time < limit }.map { .sent($0) }
    }
}
