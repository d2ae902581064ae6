// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets

/// Makes of the packets of one connection what it was, as they are sent and delivered.
struct ConnectionReading {
    /// The highest number that a side has acknowledged, and when the other side was first told, in nanoseconds.
    private struct Acknowledgement {
        var number: TCPSequence = 0
        var delivered = Int64.max
    }

    /// The first packet of a connection, in the order of all.
    struct FirstPacket: PacketEvent {
        let time: Int64
        let number: UInt32
    }

    private(set) var connection: Connection
    private var spaces: (client: SequenceSpace, server: SequenceSpace) = (SequenceSpace(), SequenceSpace())
    /// The delivered part of the server's stream.
    private var delivered = SequenceSpace()
    private var acknowledged = (client: Acknowledgement(), server: Acknowledgement())
    private var roundTrips = RoundTripReading()
    /// The packet that was sent first; nil before any.
    private(set) var first: FirstPacket?
    /// The time of the host's first packet, and of the first from outside; .max before any.
    private var starts = (inside: Int64.max, outside: Int64.max)
    /// The time at which the latest packet was sent.
    private var latest = Int64.min
    /// Packets that were read after others that were sent later.
    private(set) var disordered = 0
    /// The sending times of damaged packets of the client whose position in its stream is unknown.
    private(set) var unplaced: [(sent: Instant, hasData: Bool)] = []
    /// Whether the client's reset, if there is one, was damaged.
    private var hasDamagedReset = false

    init(_ flow: ObservedConnections.Flow) {
        connection = Connection(flow.carrier, client: flow.client, server: flow.server)
    }

    /// Whether the host sent nothing before a packet came from outside.
    var isFromOutside: Bool { starts.inside == .max || starts.outside < starts.inside }

    /// Reads a packet when it is sent. Packets come in the order in which they are sent.
    ///
    /// - Returns: what is to be delivered of it; nil if that tells nothing.
    mutating func send(_ packet: FlowPacket, _ budget: ReadingBudget) -> PacketOrder.Delivery? {
        // A packet that a fault made in the client's name is not the client's.
        guard !packet.isMade || packet.side == .server else { return nil }
        if first == nil { first = FirstPacket(time: packet.time, number: packet.number) }
        if packet.time < latest { disordered += 1 } else { latest = packet.time }
        if !packet.isReceived {
            starts.inside = min(starts.inside, packet.time)
        } else if packet.isDelivered {
            starts.outside = min(starts.outside, packet.delivered)
        }
        if packet.isSent {
            connection.bytes[packet.side] += Int(packet.length)
            connection.packets[packet.side] += packet.wirePackets
            connection.addVolume(of: packet, budget)
        }
        guard connection.carrier == .tcp else { return addDatagram(packet, budget) }
        defer { noteAcknowledgement(packet) }
        roundTrips.send(packet)
        guard let position = addSegment(packet, budget), packet.side == .server, packet.isDelivered else { return nil }
        return PacketOrder.Delivery(packet: packet, position: position)
    }

    /// Reads a packet of the server when it is delivered.
    ///
    /// - Returns: the round trip that ends with it; nil if none does.
    mutating func receive(_ delivery: PacketOrder.Delivery, _ budget: ReadingBudget) -> RoundTripReading.Trip? {
        let packet = delivery.packet
        // A packet that a fault made in the server's name is no answer of the server.
        guard !packet.isMade else { return nil }
        let range = delivery.position..<delivery.position + Int64(packet.streamLength)
        if connection.carrier != .tcp || delivered.insert(range) > 0 {
            connection.answers.appendThinned(packet.observed, budget) { $0.delivered ?? $0.sent }
        }
        guard connection.carrier == .tcp, let trip = roundTrips.receive(packet) else { return nil }
        connection.roundTrips.add(trip.length)
        return trip
    }

    private mutating func addDatagram(_ packet: FlowPacket, _ budget: ReadingBudget) -> PacketOrder.Delivery? {
        let payload = Int64(packet.payload)
        if packet.side == .server {
            if packet.isDelivered, connection.accepted.map({ Self.isFirst(packet, $0) }) ?? true {
                connection.accepted = packet.observed
            }
        }
        if packet.isSent {
            connection.payloadBytes[packet.side] += Int(payload)
            if packet.side == .client { addRequest(packet, budget) }
        }
        guard packet.side == .server, payload > 0, packet.isDelivered else { return nil }
        return PacketOrder.Delivery(packet: packet, position: 0)
    }

    private mutating func addRequest(_ packet: FlowPacket, _ budget: ReadingBudget) {
        if connection.attempts.isEmpty { connection.attempts = [packet.observed] }
        guard packet.payload > 0 else { return }
        connection.firstRequest = connection.firstRequest ?? packet.observed
        connection.clientPackets.appendThinned(packet.observed, budget, by: \.sent)
    }

    /// Reads a segment; returns where its data is in the stream, or nil if it does not belong there.
    private mutating func addSegment(_ packet: FlowPacket, _ budget: ReadingBudget) -> Int64? {
        let isSYN = packet.flags.contains(.syn)
        let isReset = packet.flags.contains(.reset)
        // A FIN is sent again if the link damaged it; what looks like one may have been none.
        let isFIN = packet.flags.contains(.fin) && !isReset && !packet.isDamaged
        let payload = Int64(packet.streamLength)
        var space = packet.side == .client ? spaces.client : spaces.server
        if isSYN, !packet.isDamaged { space.begin(at: packet.sequence) }
        let begin = space.position(of: packet.sequence)
        let data = begin + (isSYN ? 1 : 0)..<begin + (isSYN ? 1 : 0) + payload
        let range = begin..<data.upperBound + (isFIN ? 1 : 0)
        // A bit of its header may be wrong.
        // A SYN after other numbers was none.
        let belongs =
            isSYN && !space.isEmpty
            ? space.contains(range) : space.continues(with: range) && (!range.isEmpty || isReset)
        if packet.isDamaged, isSYN || !belongs {
            if packet.side == .client, packet.isSent, budget.reservePacket() {
                unplaced.append((packet.observed.sent, packet.mayHaveData))
            }
            guard belongs else { return nil }
        }
        if packet.side == .client { noteDamagedReset(packet) }
        accept(packet)
        if isFIN { end(.finish, packet) }
        if isReset { end(.reset, packet) }
        guard packet.isSent else { return data.lowerBound }
        defer { if packet.side == .client { spaces.client = space } else { spaces.server = space } }
        let isProbe = payload == 1 && range.count == 1 && space.isLast(begin) && isAcknowledged(packet)
        let newData = space.insert(data)
        let new = newData + space.insert(begin..<data.lowerBound) + space.insert(data.upperBound..<range.upperBound)
        if new < range.count, !isProbe {
            let again = Retransmission(by: packet.side, packet.observed, isOpening: isSYN)
            if budget.reservePacket() {
                connection.retransmissions.append(again)
            } else if packet.side == .client {
                budget.countRetransmission()
            }
        }
        connection.payloadBytes[packet.side] += Int(newData)
        guard packet.side == .client else { return data.lowerBound }
        if isSYN, !packet.flags.contains(.acknowledgment), connection.attempts.isEmpty || budget.reservePacket() {
            connection.attempts.append(packet.observed)
        }
        if payload > 0 { connection.firstRequest = connection.firstRequest ?? packet.observed }
        if payload > 0 || isSYN || isFIN || isReset {
            connection.clientPackets.appendThinned(packet.observed, budget, by: \.sent)
        }
        return data.lowerBound
    }

    private mutating func accept(_ packet: FlowPacket) {
        guard packet.side == .server, packet.flags.isAcceptance, packet.isDelivered,
            connection.accepted.map({ Self.isFirst(packet, $0) }) ?? true
        else { return }
        connection.accepted = packet.observed
    }

    private mutating func end(_ kind: Connection.Ending.Kind, _ packet: FlowPacket) {
        if let index = connection.endings.firstIndex(where: { $0.kind == kind && $0.side == packet.side }) {
            // The client learns of it by the first that comes.
            if packet.side == .server, Self.isFirst(packet, connection.endings[index].packet) {
                connection.endings[index].packet = packet.observed
            }
            return
        }
        guard packet.isSent || packet.side == .server else { return }
        var ending = Connection.Ending(kind, by: packet.side, packet.observed)
        ending.isOfFault = packet.isMade
        ending.isOfKernel = kind == .reset && !packet.flags.contains(.acknowledgment)
        connection.endings.append(ending)
    }

    /// A packet of the client after what looks like its reset shows that it was none: a bit of its flags was wrong.
    private mutating func noteDamagedReset(_ packet: FlowPacket) {
        let isReset = packet.flags.contains(.reset)
        if hasDamagedReset, !isReset, !packet.isDamaged {
            connection.endings.removeAll { $0.kind == .reset && $0.side == .client }
            hasDamagedReset = false
        }
        guard isReset, packet.isSent else { return }
        let isFirst = !connection.endings.contains { $0.kind == .reset && $0.side == .client }
        hasDamagedReset = packet.isDamaged && (isFirst || hasDamagedReset)
    }

    private mutating func noteAcknowledgement(_ packet: FlowPacket) {
        guard packet.flags.contains(.acknowledgment), packet.isDelivered else { return }
        let known = packet.side == .client ? acknowledged.client : acknowledged.server
        let isNew = known.delivered == .max || packet.acknowledgment.isAfter(known.number)
        guard isNew || packet.acknowledgment == known.number && packet.delivered < known.delivered else { return }
        let new = Acknowledgement(number: packet.acknowledgment, delivered: packet.delivered)
        if packet.side == .client { acknowledged.client = new } else { acknowledged.server = new }
    }

    /// Whether the byte of a packet had been acknowledged when it was sent: it only asks whether the other side is there.
    private func isAcknowledged(_ packet: FlowPacket) -> Bool {
        let other = packet.side == .client ? acknowledged.server : acknowledged.client
        return other.delivered <= packet.time && other.number.isAfter(packet.sequence)
    }

    /// Whether a packet was delivered before another.
    private static func isFirst(_ packet: FlowPacket, _ other: ObservedPacket) -> Bool {
        guard let delivered = packet.observed.delivered else { return false }
        return delivered < other.delivered ?? .distantFuture
    }
}

extension FlowPacket {
    /// The length of what it carries of the stream: the text of a reset (RFC 9293, section 3.5.2) is not part of it.
    fileprivate var streamLength: UInt32 { flags.contains(.reset) ? 0 : payload }

    /// Whether it may have carried data, if its headers may be wrong: it is longer than they are with timestamps.
    fileprivate var mayHaveData: Bool { payload > 0 || length > 52 }
}

extension Connection {
    /// Adds the bytes of a packet to those of its time. Packets come in the order in which they were sent.
    mutating func addVolume(of packet: FlowPacket, _ budget: ReadingBudget) {
        let begin = Instant(nanoseconds: packet.observed.sent.nanoseconds / Volume.length * Volume.length)
        if volume.last?.begin != begin {
            guard budget.reservePacket() else { return }
            volume.append(Volume(begin, SideCounts()))
        }
        volume[volume.count - 1].bytes[packet.side] += Int(packet.length)
    }
}
