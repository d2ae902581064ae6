// SPDX-License-Identifier: Apache-2.0

import CapturedPackets

@testable import ClientTraffic

/// Reads the packets of one connection when all of them are there, sorted: what reading them one by one must equal.
struct SortedReading {
    private var connection: Connection
    private var spaces: (client: SequenceSpace, server: SequenceSpace) = (SequenceSpace(), SequenceSpace())
    private var clientPackets: [ObservedPacket] = []
    private var hasDamagedReset = false
    private var payloads: [(packet: FlowPacket, range: Range<Int64>)] = []

    static func read(_ flow: ObservedConnections.Flow, _ packets: [FlowPacket]) -> Connection {
        var reading = SortedReading(connection: Connection(flow.carrier, client: flow.client, server: flow.server))
        let sorted = packets.sorted { $0.isBefore($1) }
        for index in sorted.indices { reading.add(sorted[index], after: sorted[..<index]) }
        if flow.carrier == .tcp { reading.addRoundTrips(sorted) }
        return reading.finish()
    }

    private mutating func add(_ packet: FlowPacket, after earlier: ArraySlice<FlowPacket>) {
        if packet.isSent {
            connection.bytes[packet.side] += Int(packet.length)
            connection.packets[packet.side] += packet.wirePackets
            connection.addVolume(of: packet, ReadingBudget())
        }
        if connection.carrier == .tcp {
            addSegment(packet, after: earlier)
        } else {
            addDatagram(packet)
        }
    }

    /// Each answer is read before what is sent after its delivery.
    private mutating func addRoundTrips(_ packets: [FlowPacket]) {
        var answers = packets.filter { $0.side == .server && $0.isDelivered }
            .sorted { $0.isDeliveredBefore($1) }[...]
        var reading = RoundTripReading()
        for packet in packets {
            while let answer = answers.first, (answer.delivered, answer.number) < (packet.time, packet.number) {
                if let trip = reading.receive(answer) { connection.roundTrips.add(trip.length) }
                answers = answers.dropFirst()
            }
            reading.send(packet)
        }
        for answer in answers {
            if let trip = reading.receive(answer) { connection.roundTrips.add(trip.length) }
        }
    }

    private mutating func addDatagram(_ packet: FlowPacket) {
        let payload = Int64(packet.payload)
        if packet.side == .server {
            if payload > 0 { payloads.append((packet, 0..<payload)) }
            if packet.isDelivered, connection.accepted.map({ Self.isFirst(packet, $0) }) ?? true {
                connection.accepted = packet.observed
            }
        }
        guard packet.isSent else { return }
        connection.payloadBytes[packet.side] += Int(payload)
        guard packet.side == .client else { return }
        if connection.attempts.isEmpty { connection.attempts = [packet.observed] }
        guard payload > 0 else { return }
        connection.firstRequest = connection.firstRequest ?? packet.observed
        clientPackets.appendThinned(packet.observed, ReadingBudget(), by: \.sent)
    }

    private mutating func addSegment(_ packet: FlowPacket, after earlier: ArraySlice<FlowPacket>) {
        let isSYN = packet.flags.contains(.syn)
        let isReset = packet.flags.contains(.reset)
        let isFIN = packet.flags.contains(.fin) && !isReset && !packet.isDamaged
        // The text of a reset (RFC 9293, section 3.5.2) is not part of the stream.
        let payload = isReset ? 0 : Int64(packet.payload)
        var space = packet.side == .client ? spaces.client : spaces.server
        if isSYN, !packet.isDamaged { space.begin(at: packet.sequence) }
        let begin = space.position(of: packet.sequence)
        let data = begin + (isSYN ? 1 : 0)..<begin + (isSYN ? 1 : 0) + payload
        let range = begin..<data.upperBound + (isFIN ? 1 : 0)
        // A bit of its header may be wrong.
        // A SYN after other numbers was none.
        let mayBelong =
            isSYN && !space.isEmpty
            ? space.contains(range) : space.continues(with: range) && (!range.isEmpty || isReset)
        if packet.isDamaged, !mayBelong { return }
        if packet.side == .server, payload > 0 { payloads.append((packet, data)) }
        if packet.side == .client, !isReset, !packet.isDamaged, hasDamagedReset {
            connection.endings.removeAll { $0.kind == .reset && $0.side == .client }
            hasDamagedReset = false
        }
        if packet.side == .client, isReset, packet.isSent {
            let isFirst = !connection.endings.contains { $0.kind == .reset && $0.side == .client }
            hasDamagedReset = packet.isDamaged && (isFirst || hasDamagedReset)
        }
        accept(packet)
        if isFIN { end(.finish, packet) }
        if isReset { end(.reset, packet) }
        guard packet.isSent else { return }
        defer { if packet.side == .client { spaces.client = space } else { spaces.server = space } }
        let isProbe = payload == 1 && range.count == 1 && space.isLast(begin) && isAcknowledged(packet, earlier)
        let newData = space.insert(data)
        let new = newData + space.insert(begin..<data.lowerBound) + space.insert(data.upperBound..<range.upperBound)
        if new < range.count, !isProbe {
            connection.retransmissions.append(Retransmission(by: packet.side, packet.observed, isOpening: isSYN))
        }
        connection.payloadBytes[packet.side] += Int(newData)
        guard packet.side == .client else { return }
        if isSYN, !packet.flags.contains(.acknowledgment) { connection.attempts.append(packet.observed) }
        if payload > 0 { connection.firstRequest = connection.firstRequest ?? packet.observed }
        if payload > 0 || isSYN || isFIN || isReset {
            clientPackets.appendThinned(packet.observed, ReadingBudget(), by: \.sent)
        }
    }

    private mutating func accept(_ packet: FlowPacket) {
        guard packet.side == .server, packet.flags.isSuperset(of: [.syn, .acknowledgment]), packet.isDelivered,
            connection.accepted.map({ Self.isFirst(packet, $0) }) ?? true
        else { return }
        connection.accepted = packet.observed
    }

    private mutating func end(_ kind: Connection.Ending.Kind, _ packet: FlowPacket) {
        if let index = connection.endings.firstIndex(where: { $0.kind == kind && $0.side == packet.side }) {
            guard packet.side == .server, Self.isFirst(packet, connection.endings[index].packet) else { return }
            return connection.endings[index].packet = packet.observed
        }
        guard packet.isSent || packet.side == .server else { return }
        var ending = Connection.Ending(kind, by: packet.side, packet.observed)
        ending.isOfKernel = kind == .reset && !packet.flags.contains(.acknowledgment)
        connection.endings.append(ending)
    }

    /// Whether the byte of a packet had been acknowledged when it was sent: it only asks whether the other side is there.
    private func isAcknowledged(_ packet: FlowPacket, _ earlier: ArraySlice<FlowPacket>) -> Bool {
        let sent = packet.observed.sent
        return earlier.contains { other in
            guard other.side != packet.side, other.flags.contains(.acknowledgment),
                let delivered = other.observed.delivered, delivered <= sent
            else { return false }
            return Int32(bitPattern: other.acknowledgment.number &- packet.sequence.number) > 0
        }
    }

    private mutating func finish() -> Connection {
        var delivered = SequenceSpace()
        var answers: [ObservedPacket] = []
        for (packet, range) in payloads.filter(\.packet.isDelivered).sorted(by: {
            $0.packet.isDeliveredBefore($1.packet)
        })
        where connection.carrier != .tcp || delivered.insert(range) > 0 {
            answers.appendThinned(packet.observed, ReadingBudget()) { $0.delivered ?? $0.sent }
        }
        connection.answers = answers
        connection.clientPackets = clientPackets
        return connection
    }

    /// Whether a packet was delivered before another.
    private static func isFirst(_ packet: FlowPacket, _ other: ObservedPacket) -> Bool {
        guard let delivered = packet.observed.delivered else { return false }
        return delivered < other.delivered ?? .distantFuture
    }
}

extension FlowPacket {
    fileprivate func isDeliveredBefore(_ other: FlowPacket) -> Bool {
        (delivered, number) < (other.delivered, other.number)
    }
}
