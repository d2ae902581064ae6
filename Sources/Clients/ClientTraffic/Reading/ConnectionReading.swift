// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets

/// Builds a `Connection` from its packets, in the order in which they were sent and delivered.
struct ConnectionReading {
    /// The highest number that a side has acknowledged, and when the acknowledgement was first delivered, in
    /// nanoseconds.
    private struct Acknowledgement {
        var number: TCPSequence = 0
        var delivered = Int64.max
    }

    /// The position of a connection's first packet in the order of all packets.
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
    /// The first packet in the order of sending; nil before any.
    private(set) var first: FirstPacket?
    /// The time at which the host first sent a packet, and at which one from outside was first delivered; .max before
    /// any.
    private var starts = (inside: Int64.max, outside: Int64.max)
    /// The time at which the latest packet was sent.
    private var latest = Int64.min
    /// The number of packets that were read after a packet with a later sending time.
    private(set) var disordered = 0
    /// The client's damaged packets whose position in its stream is unknown.
    private(set) var unplaced: [(sent: Instant, hasData: Bool)] = []
    /// Whether the client's reset was damaged, so that it may not be one.
    private var hasDamagedReset = false

    init(_ flow: ObservedConnections.Flow) {
        connection = Connection(flow.carrier, client: flow.client, server: flow.server)
    }

    /// Whether the host sent nothing before the first packet from outside was delivered.
    var isFromOutside: Bool { starts.inside == .max || starts.outside < starts.inside }

    /// Reads a packet at its sending. Packets must be read in the order in which they were sent.
    ///
    /// - Returns: the delivery to pass to `receive` later; nil if the delivery adds nothing.
    mutating func send(_ packet: FlowPacket, _ budget: ReadingBudget) -> PacketOrder.Delivery? {
        // A packet that a fault injected in the client's name is not the client's.
        guard !packet.isInjected || packet.side == .server else { return nil }
        if first == nil { first = FirstPacket(time: packet.time, number: packet.number) }
        if packet.time < latest { disordered += 1 } else { latest = packet.time }
        if !packet.isDownlink {
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

    /// Reads a packet of the server at its delivery.
    ///
    /// - Returns: the round trip that ends with the packet; nil if none does.
    mutating func receive(_ delivery: PacketOrder.Delivery, _ budget: ReadingBudget) -> RoundTripReading.Trip? {
        let packet = delivery.packet
        // A packet that a fault injected in the server's name is no answer of the server.
        guard !packet.isInjected else { return nil }
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

    /// Reads a segment; returns the position of its data in the side's stream, or nil if the segment is not part of the
    /// stream.
    private mutating func addSegment(_ packet: FlowPacket, _ budget: ReadingBudget) -> Int64? {
        let isSYN = packet.flags.contains(.syn)
        let isReset = packet.flags.contains(.reset)
        // The FIN bit of a damaged packet may be wrong, and a real FIN is retransmitted: only an undamaged one counts.
        let isFIN = packet.flags.contains(.fin) && !isReset && !packet.isDamaged
        let payload = Int64(packet.streamLength)
        var space = packet.side == .client ? spaces.client : spaces.server
        if isSYN, !packet.isDamaged { space.begin(at: packet.sequence) }
        let begin = space.position(of: packet.sequence)
        let data = begin + (isSYN ? 1 : 0)..<begin + (isSYN ? 1 : 0) + payload
        let range = begin..<data.upperBound + (isFIN ? 1 : 0)
        // Whether the segment's numbers fit the stream: in a damaged header they may be wrong. A SYN in a stream that
        // has started must repeat known numbers.
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
            // The client learns of the end by the copy that is delivered first.
            if packet.side == .server, Self.isFirst(packet, connection.endings[index].packet) {
                connection.endings[index].packet = packet.observed
            }
            return
        }
        guard packet.isSent || packet.side == .server else { return }
        var ending = Connection.Ending(kind, by: packet.side, packet.observed)
        ending.isOfFault = packet.isInjected
        ending.isOfKernel = kind == .reset && !packet.flags.contains(.acknowledgment)
        connection.endings.append(ending)
    }

    /// Removes the client's damaged reset when an undamaged packet follows: its RST bit was wrong.
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

    /// Whether a packet's byte had been acknowledged before the packet was sent, as in a keep-alive probe.
    private func isAcknowledged(_ packet: FlowPacket) -> Bool {
        let other = packet.side == .client ? acknowledged.server : acknowledged.client
        return other.delivered <= packet.time && other.number.isAfter(packet.sequence)
    }

    /// Whether `packet` was delivered before `other`.
    private static func isFirst(_ packet: FlowPacket, _ other: ObservedPacket) -> Bool {
        guard let delivered = packet.observed.delivered else { return false }
        return delivered < other.delivered ?? .distantFuture
    }
}

extension FlowPacket {
    /// The length of the packet's stream data: a reset's payload is a diagnostic text (RFC 9293, section 3.5.2) outside
    /// the stream.
    fileprivate var streamLength: UInt32 { flags.contains(.reset) ? 0 : payload }

    /// Whether a packet with damaged headers may carry data: it has payload, or is longer than IPv4 and TCP headers
    /// with timestamps.
    fileprivate var mayHaveData: Bool { payload > 0 || length > 52 }
}

extension Connection {
    /// Adds the bytes of a packet to the period of its sending. Packets must be added in the order in which they were
    /// sent.
    mutating func addVolume(of packet: FlowPacket, _ budget: ReadingBudget) {
        let begin = Instant(nanoseconds: packet.observed.sent.nanoseconds / Volume.length * Volume.length)
        if volume.last?.begin != begin {
            guard budget.reservePacket() else { return }
            volume.append(Volume(begin, SideCounts()))
        }
        volume[volume.count - 1].bytes[packet.side] += Int(packet.length)
    }
}
