// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets

/// Finds the round trips of an established TCP connection, as the client's end of the link sees them.
///
/// A packet of the client is answered in one of two ways. A segment with data is answered by its acknowledgement, which
/// the server's kernel sends whatever the application does. A packet without data, as in a download, is answered by the
/// first echo of its timestamp (RFC 7323), which comes with the server's next data. The application, or pacing, decides
/// when that data is sent: this wait is subtracted. Packets that the link dropped, and retransmitted segments (RFC
/// 6298, section 3), are not measured.
///
/// Times are in nanoseconds.
struct RoundTripReading {
    /// A packet that waits for its answer.
    private struct Waiting {
        /// The sequence number after the packet's data, or the packet's timestamp.
        let number: TCPSequence
        let sent: Int64
        let delivered: Int64
    }

    /// A round trip, and when it ended.
    typealias Trip = (length: Duration, end: Instant)

    /// At most this many segments, and this many timestamps, wait at a time; further packets are not measured.
    private static let limit = 16
    /// The reaction time below which only the link lies between the client and the server.
    private static let near: Int64 = 5_000_000
    /// The longest time for which a server may hold back an echo; a longer wait is not measured.
    private static let longestWait: Int64 = 100_000_000
    /// An echo from a distant server counts as sent at once if its reaction time exceeds the quickest by at most this,
    /// or by half.
    private static let variation: Int64 = 10_000_000

    private var segments: [Waiting] = []
    private var stamps: [Waiting] = []
    /// The sequence number after the client's highest data; nil before the first.
    private var next: TCPSequence?
    private var latestStamp: TCPSequence?
    /// The time at which the latest SYN of the client was delivered.
    private var synDelivered: Int64?
    /// The shortest reaction time: from a packet's delivery to the server's side to the sending of the answer there.
    private var quickest: Int64?

    /// Reads a packet of a TCP connection when it is sent.
    mutating func send(_ packet: FlowPacket) {
        guard packet.isSent, !packet.isDamaged else { return }
        guard packet.side == .client else { return noteAcceptance(packet) }
        guard !packet.flags.contains(.reset) else { return }
        if packet.flags.contains(.syn) {
            if packet.isDelivered { synDelivered = packet.delivered }
            next = next ?? packet.sequence + 1
            return
        }
        let end = packet.sequence + Int(packet.payload)
        let isNewStamp = packet.stamp != 0 && (latestStamp.map { packet.stamp.isAfter($0) } ?? true)
        if isNewStamp, packet.isDelivered { latestStamp = packet.stamp }
        guard packet.payload > 0 else {
            guard isNewStamp, !packet.flags.contains(.fin) else { return }
            return Self.addWaiting(packet.stamp, packet, to: &stamps)
        }
        if let next, !next.isAfter(packet.sequence) {
            Self.addWaiting(end, packet, to: &segments)
        } else {
            // After a retransmission, an acknowledgement may be for either copy, and acknowledgements of later segments
            // are held back until the lost segment arrives.
            segments = []
        }
        if next.map({ end.isAfter($0) }) ?? true { next = end }
    }

    /// Adds a packet to those that wait for an answer, if the link delivered it and there is room.
    private static func addWaiting(_ number: TCPSequence, _ packet: FlowPacket, to list: inout [Waiting]) {
        guard packet.isDelivered, list.count < limit else { return }
        list.append(Waiting(number: number, sent: packet.time, delivered: packet.delivered))
    }

    /// Notes the reaction time of a SYN-ACK; that of a retransmitted one is longer, and so does not count.
    private mutating func noteAcceptance(_ packet: FlowPacket) {
        guard packet.flags.contains(.syn), let synDelivered else { return }
        noteReaction(packet.time - synDelivered)
    }

    /// Reads a packet of the server when it is delivered.
    ///
    /// - Returns: the round trip that ends with the packet; nil if none does.
    mutating func receive(_ packet: FlowPacket) -> Trip? {
        let flags = packet.flags
        guard flags.contains(.acknowledgment), !flags.contains(.syn), !flags.contains(.reset), packet.isDelivered else {
            return nil
        }
        let confirmed = Self.removeWaiting(packet.acknowledgment, from: &segments)
        let echoed = packet.echo == 0 ? nil : Self.removeWaiting(packet.echo, from: &stamps)
        guard let answered = confirmed ?? echoed else { return nil }
        let reaction = packet.time - answered.delivered
        let wait = confirmed == nil ? wait(reaction) : 0
        noteReaction(reaction)
        return wait.map { wait in
            (.nanoseconds(packet.delivered - answered.sent - wait), Instant(nanoseconds: packet.delivered))
        }
    }

    /// Removes the waiting packets up to `number`, and returns the last of them if its number is equal to `number`.
    private static func removeWaiting(_ number: TCPSequence, from list: inout [Waiting]) -> Waiting? {
        guard let index = list.lastIndex(where: { !$0.number.isAfter(number) }) else { return nil }
        let last = list[index]
        list.removeFirst(index + 1)
        return last.number == number ? last : nil
    }

    /// The time for which the server held back an echo; nil if it is unknown, or too long.
    private func wait(_ reaction: Int64) -> Int64? {
        guard let quickest else { return nil }
        let wait = max(reaction - quickest, 0)
        if quickest < Self.near { return wait <= Self.longestWait ? wait : nil }
        return wait <= max(quickest / 2, Self.variation) ? 0 : nil
    }

    private mutating func noteReaction(_ reaction: Int64) {
        quickest = min(quickest ?? reaction, max(reaction, 0))
    }
}
