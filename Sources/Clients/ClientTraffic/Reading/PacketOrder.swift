// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets

/// Puts what happened to packets into order: when each was sent, and when those of the server were delivered.
///
/// In a capture, a packet that the host receives stands where it was delivered: what was sent before may follow. The capture
/// tells from time to time until when it is complete, and what happened before that is handed out. Where it does not tell,
/// packets are in order but for a few, and wait only until many do.
struct PacketOrder {
    /// The kinds of events.
    enum Event {
        case sent(FlowPacket)
        case delivered(Delivery)
    }

    /// A packet of the server that is on its way to the client.
    struct Delivery: PacketEvent {
        let packet: FlowPacket
        /// The position in the stream of the server.
        let position: Int64

        var time: Int64 { packet.delivered }
        var number: UInt32 { packet.number }
    }

    /// The most packets that wait, 56 bytes each: of more, the earliest are handed out without waiting further.
    private let limit: Int
    private var sent = MergeQueue<FlowPacket>(streams: 2)
    private var delivered = MergeQueue<Delivery>(streams: 1)
    /// Packets sent before this instant have been added.
    private var complete = Int64.min

    init(limit: Int = 1 << 19) { self.limit = limit }

    /// Adds a packet.
    mutating func add(_ packet: FlowPacket) { sent.add(packet, stream: packet.isReceived ? 1 : 0) }

    /// Adds a packet that was sent, and is to be delivered.
    mutating func add(_ delivery: Delivery) { delivered.add(delivery) }

    /// Notes that all packets sent before `time`, in nanoseconds since 1970, have been added.
    mutating func complete(until time: Int64) { complete = max(complete, time) }

    /// The next event; nil if it may not be the next.
    mutating func next() -> Event? {
        if let event = next(before: complete) { return event }
        return sent.count > limit ? next(before: .max) : nil
    }

    /// The next event before `limit`.
    mutating func next(before limit: Int64) -> Event? {
        if let delivery = delivered.first, sent.first.map({ !$0.isBefore(delivery) }) ?? true {
            return delivered.removeFirst { $0.time < limit }.map { .delivered($0) }
        }
        return sent.removeFirst { $0.time < limit }.map { .sent($0) }
    }
}
