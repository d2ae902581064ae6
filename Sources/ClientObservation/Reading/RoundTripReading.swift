// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets

/// Finds the round trips of an established TCP connection, as the client's end of the link sees them.
///
/// What the client sends has one of two answers. A segment with data has its acknowledgement, which the server's kernel
/// sends by itself, whatever its application does. A packet without data, as in a download, has the first echo of its
/// timestamp (RFC 7323), which comes with the next data. When that is sent is up to the application, and to a server that
/// spreads its packets over time: that wait is left out. Packets that the link dropped, and segments that were sent again
/// (RFC 6298, section 3), have no answer that counts.
struct RoundTripReading {
    /// Something that waits for its answer.
    private struct Waiting {
        /// The number after its data, or its timestamp.
        let number: UInt32
        let sent: Instant
        let delivered: Instant
    }

    /// So many segments and so many timestamps wait at a time; what is sent meanwhile is not measured.
    private static let limit = 16
    /// Where an answer may come within this, there is nothing but the link between both sides.
    private static let near = Duration.milliseconds(5)
    /// An echo that was held back for longer tells nothing of the moment.
    private static let longestWait = Duration.milliseconds(100)
    /// An answer from afar that was sent at once takes longer than the quickest: this, or half as long again.
    private static let variation = Duration.milliseconds(10)

    private var segments: [Waiting] = []
    private var stamps: [Waiting] = []
    /// The number after the highest of the client's data; nil before the first.
    private var next: UInt32?
    private var latestStamp: UInt32?
    /// When a SYN was delivered.
    private var asked: Instant?
    /// The shortest time between a packet's delivery to the server's side and the answer from there.
    private var quickest: Duration?

    /// Hands out each round trip with the time at which it ended.
    ///
    /// - Parameter packets: those of a TCP connection, in the order in which they were sent.
    static func read(_ packets: ArraySlice<FlowPacket>, _ body: (Duration, Instant) -> Void) {
        var answers = packets.filter { $0.side == .server && $0.isDelivered }
        let isInOrder = zip(answers, answers.dropFirst()).allSatisfy { !$1.isDeliveredBefore($0) }
        if !isInOrder { answers.sort { $0.isDeliveredBefore($1) } }
        var reading = RoundTripReading()
        var remaining = answers[...]
        for packet in packets where packet.isSent && !packet.isDamaged {
            guard packet.side == .client else {
                reading.noteAcceptance(packet)
                continue
            }
            let sent = packet.observed.sent
            while let answer = remaining.first, answer.observed.delivered ?? sent <= sent {
                reading.receive(answer, body)
                remaining = remaining.dropFirst()
            }
            reading.send(packet)
        }
        for answer in remaining { reading.receive(answer, body) }
    }

    private mutating func send(_ packet: FlowPacket) {
        guard !packet.flags.contains(.reset) else { return }
        let observed = packet.observed
        if packet.flags.contains(.syn) {
            asked = observed.delivered ?? asked
            next = next ?? packet.sequence &+ 1
            return
        }
        let end = packet.sequence &+ packet.payload
        let isFirstStamp = packet.stamp != 0 && latestStamp.map { packet.stamp.isAfter($0) } ?? true
        if isFirstStamp, packet.isDelivered { latestStamp = packet.stamp }
        guard packet.payload > 0 else {
            guard isFirstStamp, !packet.flags.contains(.fin) else { return }
            return Self.wait(packet.stamp, observed, in: &stamps)
        }
        if let next, !next.isAfter(packet.sequence) {
            Self.wait(end, observed, in: &segments)
        } else {
            // An acknowledgement may be that of either, and those of later segments wait for it.
            segments = []
        }
        if next.map({ end.isAfter($0) }) ?? true { next = end }
    }

    private static func wait(_ number: UInt32, _ packet: ObservedPacket, in list: inout [Waiting]) {
        guard let delivered = packet.delivered, list.count < limit else { return }
        list.append(Waiting(number: number, sent: packet.sent, delivered: delivered))
    }

    /// The first acceptance was sent at once; another one, since that was lost.
    private mutating func noteAcceptance(_ packet: FlowPacket) {
        guard packet.flags.contains(.syn), let asked else { return }
        noteReaction(packet.observed.sent - asked)
    }

    private mutating func receive(_ packet: FlowPacket, _ body: (Duration, Instant) -> Void) {
        let observed = packet.observed
        let isAnswer = packet.flags.intersection([.acknowledgment, .syn, .reset]) == .acknowledgment
        guard isAnswer, let end = observed.delivered else { return }
        let confirmed = Self.removeWaiting(packet.acknowledgment, from: &segments)
        let echoed = packet.echo == 0 ? nil : Self.removeWaiting(packet.echo, from: &stamps)
        guard let answered = confirmed ?? echoed else { return }
        let reaction = observed.sent - answered.delivered
        let wait = confirmed == nil ? wait(reaction) : .zero
        if let wait { body(end - answered.sent - wait, end) }
        noteReaction(reaction)
    }

    /// Removes all that a number answers, and returns what it answers exactly.
    private static func removeWaiting(_ number: UInt32, from list: inout [Waiting]) -> Waiting? {
        guard let index = list.lastIndex(where: { !$0.number.isAfter(number) }) else { return nil }
        defer { list.removeFirst(index + 1) }
        return list[index].number == number ? list[index] : nil
    }

    /// How long a server held back an echo; nil if that cannot be told, or was too long.
    private func wait(_ reaction: Duration) -> Duration? {
        guard let quickest else { return nil }
        let wait = max(reaction - quickest, .zero)
        if quickest < Self.near { return wait <= Self.longestWait ? wait : nil }
        return wait <= max(quickest / 2, Self.variation) ? .zero : nil
    }

    private mutating func noteReaction(_ reaction: Duration) {
        quickest = min(quickest ?? reaction, max(reaction, .zero))
    }
}

extension UInt32 {
    /// Whether it comes after another, as numbers that wrap do.
    fileprivate func isAfter(_ other: UInt32) -> Bool { Int32(bitPattern: self &- other) > 0 }
}
