// SPDX-License-Identifier: Apache-2.0

package import CapturedPackets
internal import InternetAddresses
internal import LinkProfiles

/// Builds a client's traffic from the records of a capture, read in the order of the file.
///
/// Payload is read in the order of the file. The state of connections is read in the order in which packets were sent
/// and delivered, which differs: a packet that was delivered late comes late in the file. No packet is kept for longer
/// than that reordering takes.
package struct TrafficReader {
    private var interfaces: [CapturedInterface] = []
    private var packets = 0
    private var link = LinkReading()
    private var flows = ObservedConnections()
    private var order = PacketOrder()
    /// The reading of each connection in `flows`, by its number.
    private var readings: [ConnectionReading] = []
    /// The conversation on each connection, by its number; nil for UDP.
    private var conversations: [Conversation?] = []
    /// The QUIC headers read so far, by the number of the UDP flow.
    private var quic: [Int: QUICReading] = [:]
    private var room = StreamAssembler.Room()
    private var queries = NameQueries()
    private var nameMessages: [NameMessage] = []
    /// The endpoints between which the host has sent DNS queries over UDP.
    private var nameFlows: Set<ConnectionKey> = []
    private var unplaced = UnplacedPackets()
    private var hasDamage = false
    private var fragments = FragmentedDatagrams()

    private let decoders: (any StreamDecoders)?
    private var budget: ReadingBudget

    /// Makes a reader at the start of a capture.
    ///
    /// - Parameters:
    ///   - decoders: decrypt TLS whose keys are in the capture, and read HTTP/2; nil to read neither.
    ///   - memory: the bytes for the client's traffic.
    package init(decoders: (any StreamDecoders)? = nil, memory: Int = ReadingBudget.ofRun) {
        (self.decoders, budget) = (decoders, ReadingBudget(memory))
    }

    /// Reads the next record.
    package mutating func add(_ record: CaptureRecord) {
        switch record {
        case .section:
            interfaces = []
            link.beginSection()
        case .interface(let interface):
            interfaces.append(interface)
            link.openInterfaces += 1
        case .packet(let packet): add(packet)
        case .statistics(let statistics, let interface):
            if let moment = statistics.completeUntil {
                readFragments()
                order.complete(until: moment)
                readInOrder()
            } else {
                link.add(statistics, of: interface)
            }
        case .names(let address, let names):
            if let name = names.first, budget.reserve(ReadingBudget.Size.name) { queries.note(name, of: address) }
        case .tlsKeys(let lines): decoders?.add(tlsKeys: lines)
        }
    }

    private mutating func add(_ packet: CapturedPacket) {
        packets += 1
        let fate = packet.fate
        let timed = TimedPacket(packet, fate, number: packets)
        link.add(packet, fate, timed, budget)
        hasDamage = hasDamage || timed.isDamaged
        guard interfaces.indices.contains(packet.interface) else { return }
        let headers = PacketHeaders(packet.bytes, interfaces[packet.interface].linkType, length: packet.length)
        // Without fates, it is unknown which fragments were lost: each packet is read by itself.
        let length = headers.lengthOnTheWire(packet, timed)
        guard fate != nil, let known = fragments.add(packet, headers, timed, length: length) else {
            return read(packet, headers, timed, length: length)
        }
        for first in known { read(first) }
    }

    private mutating func read(_ first: FragmentedDatagrams.First) {
        let length = first.headers.lengthOnTheWire(first.packet, first.timed) + first.otherBytes
        read(first.packet, first.headers, first.timed, length: length)
    }

    /// Reads the first fragments that still wait, although their other fragments were not all seen.
    private mutating func readFragments() {
        for first in fragments.removeAll() { read(first) }
    }

    /// - Parameter length: the bytes on the wire from the IP header on, with those of the datagram's other fragments.
    private mutating func read(
        _ packet: CapturedPacket,
        _ headers: PacketHeaders,
        _ timed: TimedPacket,
        length: Int
    ) {
        guard let ip = headers.ip, let ports = headers.ports else {
            guard timed.isDamaged, timed.isSent, budget.reservePacket() else { return }
            let isOfServer = timed.isDownlink
            unplaced.addUnreadable(at: timed.observed.sent, bytes: packet.length, isOfServer: isOfServer)
            return
        }
        let ends = (source: Endpoint(ip.source, ports.source), destination: Endpoint(ip.destination, ports.destination))
        switch headers.transport {
        case .tcp(let tcp):
            guard let flow = flows.findOrAddFlow(tcp, from: ends.source, to: ends.destination, timed, budget)
            else {
                let opens = tcp.flags.contains(.syn) && !tcp.flags.contains(.acknowledgment)
                return count(length, ends, timed, opening: opens ? tcp.sequence : nil)
            }
            note(flow, tcp, headers, timed, length)
            read(flow, tcp, headers, timed, packet)
        case .udp where ends.source.port == Self.dns || ends.destination.port == Self.dns:
            noteMessage(ends, timed, length)
            if timed.isDamaged, timed.isSent, ends.destination.port == Self.dns, budget.reservePacket() {
                unplaced.queries.append(timed.observed.sent)
            }
            guard !timed.isDamaged, isOfClient(ends, timed),
                let message = DNSMessage(Array(packet.bytes[headers.payload]))
            else { return }
            add(message, ends, isTCP: false, timed, first: timed.observed, last: timed.observed)
        case .udp:
            let isInitial = QUICHeader.isInitial(packet.bytes[headers.payload])
            let place = flows.findOrAddFlow(
                datagramFrom: ends.source,
                to: ends.destination,
                timed,
                budget,
                carrier: isInitial ? .quic : .udp
            )
            guard let flow = place else { return count(length, ends, timed, opening: isInitial ? 0 : nil) }
            note(flow, nil, headers, timed, length)
            quic[flow.number, default: QUICReading()].add(
                packet.bytes[headers.payload],
                length: headers.payloadLength,
                from: flow.side,
                timed,
                budget
            )
        default: break
        }
    }

    /// Counts a packet of a connection that is not kept.
    ///
    /// - Parameter opening: for a packet that opens a connection, the number that distinguishes it from other attempts
    ///   (the SYN's sequence number; 0 for QUIC); nil for any other packet.
    private func count(
        _ length: Int,
        _ ends: (source: Endpoint, destination: Endpoint),
        _ timed: TimedPacket,
        opening: TCPSequence?
    ) {
        guard timed.isSent else { return }
        budget.count(bytes: length)
        guard let opening, !timed.isDownlink, !timed.isDamaged else { return }
        var hasher = Hasher()
        hasher.combine(SocketEnds(ends.source, ends.destination))
        hasher.combine(opening)
        budget.countOpening(hasher.finalize())
    }

    private mutating func note(
        _ flow: ObservedConnections.Membership,
        _ tcp: TCPHeader?,
        _ headers: PacketHeaders,
        _ timed: TimedPacket,
        _ length: Int
    ) {
        if flow.number == readings.count { readings.append(ConnectionReading(flows.flows[flow.number])) }
        let packet = FlowPacket(
            timed,
            flow,
            tcp: tcp,
            payload: headers.payloadLength,
            length: length
        )
        order.add(packet)
        readInOrder()
    }

    /// Whether a DNS packet over UDP is a query of the host, whose endpoints are noted, or an answer between such
    /// endpoints. Any other belongs to another host.
    private mutating func isOfClient(_ ends: (source: Endpoint, destination: Endpoint), _ timed: TimedPacket) -> Bool {
        let key = ConnectionKey.of(source: ends.source, destination: ends.destination, isTCP: false).key
        guard timed.isDownlink else {
            if !nameFlows.contains(key), budget.reserve(ReadingBudget.Size.name) { nameFlows.insert(key) }
            return true
        }
        return nameFlows.contains(key) || budget.isExhausted
    }

    private mutating func noteMessage(
        _ ends: (source: Endpoint, destination: Endpoint),
        _ timed: TimedPacket,
        _ length: Int
    ) {
        guard timed.isSent, isOfClient(ends, timed) else { return }
        guard budget.reserve(ReadingBudget.Size.nameMessage) else { return budget.count(bytes: length) }
        let isQuery = ends.destination.port == Self.dns
        let message = NameMessage(
            client: isQuery ? ends.source : ends.destination,
            server: isQuery ? ends.destination : ends.source,
            sent: timed.observed.sent,
            bytes: length
        )
        nameMessages.append(message)
    }

    /// Reads the sending and delivery of packets as far as their order is known.
    private mutating func readInOrder() {
        while let event = order.next() {
            switch event {
            case .sent(let packet):
                if let delivery = readings[Int(packet.connection)].send(packet, budget) { order.add(delivery) }
            case .delivered(let delivery):
                let number = Int(delivery.packet.connection)
                if let trip = readings[number].receive(delivery, budget) { link.add(trip) }
            }
        }
    }

    /// Reads the payload of a segment, and the DNS messages that it completes.
    private mutating func read(
        _ flow: ObservedConnections.Membership,
        _ tcp: TCPHeader,
        _ headers: PacketHeaders,
        _ timed: TimedPacket,
        _ packet: CapturedPacket
    ) {
        while conversations.count <= flow.number { conversations.append(nil) }
        let isDNS = flows.flows[flow.number].server.port == Self.dns
        if conversations[flow.number] == nil {
            conversations[flow.number] = Conversation(isDNS: isDNS, decoders, budget)
        }
        let payload = packet.bytes[headers.payload]
        conversations[flow.number]?.add(tcp, payload, length: headers.payloadLength, from: flow.side, timed, &room)
        guard isDNS, let messages = conversations[flow.number]?.drainMessages() else { return }
        let ends = (source: flows.flows[flow.number].client, destination: flows.flows[flow.number].server)
        for message in messages {
            guard let content = DNSMessage(message.bytes) else { continue }
            add(content, ends, isTCP: true, timed, first: message.first, last: message.last)
        }
    }

    private mutating func add(
        _ message: DNSMessage,
        _ ends: (source: Endpoint, destination: Endpoint),
        isTCP: Bool,
        _ timed: TimedPacket,
        first: ObservedPacket,
        last: ObservedPacket
    ) {
        guard message.isAnswer || timed.isSent else { return }
        let key = ConnectionKey.of(source: ends.source, destination: ends.destination, isTCP: isTCP).key
        queries.add(message, in: key, first: first, last: last, ends: ends, budget)
    }

    /// The traffic of all records so far. The reader accepts further records.
    package func read() -> ObservedTraffic {
        guard fragments.isEmpty else {
            // A copy of the reader reads the fragments as if nothing followed; this reader still waits.
            var reader = self
            reader.budget = budget.copy()
            reader.readFragments()
            return reader.read()
        }
        // Packets whose order is not known yet are read into copies, as if nothing followed; this reader still waits
        // for it.
        var (order, link) = (order, link)
        let (readings, budget) = (readings, budget.copy())
        var changed: [UInt32: ConnectionReading] = [:]
        while let event = order.next(before: .max) {
            switch event {
            case .sent(let packet):
                let known = readings[Int(packet.connection)]
                if let delivery = changed[packet.connection, default: known].send(packet, budget) {
                    order.add(delivery)
                }
            case .delivered(let delivery):
                let packet = delivery.packet
                let known = readings[Int(packet.connection)]
                if let trip = changed[packet.connection, default: known].receive(delivery, budget) { link.add(trip) }
            }
        }
        var traffic = ObservedTraffic()
        (traffic.nameQueries, traffic.nameMessages) = (queries.inOrder, nameMessages)
        let (unplaced, begun) = unplaced(changed)
        // The closure reads `first` in place: none of up to a million readings is copied.
        traffic.connections = inOrder { changed[UInt32($0)]?.first ?? readings[$0].first }
            .map { number in
                var connection = connection(number, changed[UInt32(number)] ?? readings[number])
                if hasDamage { connection.noteDoubts(begun: begun[number], unplaced: unplaced.segments.last) }
                return connection
            }
        (traffic.link, traffic.unkept) = (link.result, budget.unkept)
        traffic.link.disordered = readings.reduce(0) { $0 + $1.disordered }
        traffic.link.unplaced = unplaced
        for (number, reading) in changed {
            traffic.link.disordered += reading.disordered - readings[Int(number)].disordered
        }
        return traffic
    }

    /// Packets that belong to no connection, and, by the number of a connection, the time at which the client sent the
    /// first of them that may belong to it.
    private func unplaced(
        _ changed: [UInt32: ConnectionReading]
    ) -> (packets: UnplacedPackets, begun: [Int: Instant]) {
        var (unplaced, begun) = (unplaced, [Int: Instant]())
        guard hasDamage else { return (unplaced, begun) }
        let neighboring = NeighboringFlows(flows.flows)
        for (number, flow) in flows.flows.enumerated() {
            let reading = changed[UInt32(number)] ?? readings[number]
            if let first = reading.unplaced.first { begun[number] = min(begun[number] ?? first.sent, first.sent) }
            unplaced.segments += reading.unplaced.map(\.sent)
            unplaced.data += reading.unplaced.filter(\.hasData).map(\.sent)
            guard !flow.isCertain, let first = reading.first else { continue }
            let sent = Instant(nanoseconds: first.time)
            // This may be a packet of another connection, with a wrong bit in an address or a port.
            let others = neighboring.neighbors(of: flow)
            unplaced.add(flow, reading.connection, at: sent, isOther: !others.isEmpty)
            guard reading.connection.packets.client > 0 else { continue }
            for other in others { begun[other] = min(begun[other] ?? sent, sent) }
        }
        unplaced.openings.sort()
        unplaced.segments.sort()
        return (unplaced, begun)
    }

    /// The numbers of the connections with an undamaged packet, in the order of their first packets.
    private func inOrder(_ first: (Int) -> ConnectionReading.FirstPacket?) -> [Int] {
        let certain = flows.flows.indices.filter { flows.flows[$0].isCertain }
            .compactMap { number in first(number).map { (number: number, first: $0) } }
        let isSorted = zip(certain, certain.dropFirst()).allSatisfy { !$1.first.isBefore($0.first) }
        return isSorted ? certain.map(\.number) : certain.sorted { $0.first.isBefore($1.first) }.map(\.number)
    }

    private func connection(_ number: Int, _ reading: ConnectionReading) -> Connection {
        var connection = reading.connection
        connection.carrier = flows.flows[number].carrier
        connection.isFromOutside = reading.isFromOutside
        if let use = quic[number]?.use { connection.quic = use }
        if conversations.indices.contains(number) { conversations[number]?.describe(&connection) }
        if let begin = reading.first.map({ Instant(nanoseconds: $0.time) }) {
            connection.resolvedNames = queries.names.names(of: connection.server.address, at: begin)
            connection.isNamedByClient = connection.serverName != nil
            connection.serverName = connection.serverName ?? connection.resolvedNames.last
        }
        return connection
    }

    private static let dns: UInt16 = 53
}

extension Connection {
    /// Notes when the connection may have started, and that it may have ended.
    ///
    /// - Parameters:
    ///   - begun: when the client sent the first damaged packet that may belong to the connection; nil if there is
    ///     none.
    ///   - unplaced: when the client sent the last damaged packet whose connection is unknown; nil if there is none.
    fileprivate mutating func noteDoubts(begun: Instant?, unplaced: Instant?) {
        if let begun, let first = firstPacket?.sent, begun < first { mayHaveBegun = begun }
        if let unplaced { mayHaveEnded = unplaced >= clientPackets.last?.sent ?? .distantPast }
    }
}

extension PacketHeaders {
    /// The bytes of an IP packet on the wire; for a super-packet, of all its packets, each with headers.
    fileprivate func lengthOnTheWire(_ packet: CapturedPacket, _ timed: TimedPacket) -> Int {
        let (wirePackets, isDamaged) = (timed.wirePackets, timed.isDamaged)
        // In a damaged packet, the length field may be wrong.
        let told = isDamaged ? nil : ip.map(\.length).flatMap { $0 > 0 ? $0 : nil }
        let length = told ?? max(packet.length - networkOffset, 0)
        // A capture may contain any number; the limit keeps sums of many lengths from overflowing.
        return min(length + max(length - payloadLength, 0) * (wirePackets - 1), Int(UInt32.max))
    }
}
