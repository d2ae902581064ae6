// SPDX-License-Identifier: Apache-2.0

package import CapturedPackets
internal import InternetAddresses

/// Makes of the records of a capture, in their order, what they say of a client.
///
/// Packets are read in the order of the file, and judged in the order in which they were sent and delivered: what came late
/// stands late in the file.
package struct TrafficReader {
    private var interfaces: [CapturedInterface] = []
    private var packets = 0
    private var link = LinkReading()
    private var flows = FlowTable()
    private var flowPackets: [FlowPacket] = []
    /// What is said on each connection; nil for those of UDP.
    private var conversations: [Conversation?] = []
    private var room = StreamAssembler.Room()
    private var queries = NameQueries()

    private let decoders: (any StreamDecoders)?

    /// Makes a reader at the start of a capture.
    ///
    /// - Parameter decoders: what opens TLS whose keys are in the capture, and reads HTTP/2; nil to read neither.
    package init(decoders: (any StreamDecoders)? = nil) { self.decoders = decoders }

    /// Takes the next record.
    package mutating func add(_ record: CaptureRecord) {
        switch record {
        case .section:
            interfaces = []
            link.beginSection()
        case .interface(let interface):
            interfaces.append(interface)
            link.openInterfaces += 1
        case .packet(let packet): add(packet)
        case .statistics(let statistics, let interface): link.add(statistics, of: interface)
        case .names(let address, let names):
            if let name = names.first { queries.note(name, of: address) }
        case .tlsKeys(let lines): decoders?.add(tlsKeys: lines)
        }
    }

    private mutating func add(_ packet: CapturedPacket) {
        packets += 1
        let fate = packet.comments.lazy.compactMap { PacketFate(comment: $0) }.first
        let timed = TimedPacket(packet, fate, number: packets)
        link.add(packet, fate, timed)
        guard interfaces.indices.contains(packet.interface) else { return }
        let headers = PacketHeaders(packet.bytes, interfaces[packet.interface].linkType, length: packet.length)
        guard let ip = headers.ip, let ports = headers.ports else { return }
        let ends = (source: Endpoint(ip.source, ports.source), destination: Endpoint(ip.destination, ports.destination))
        switch headers.transport {
        case .tcp(let tcp):
            let flow = flows.place(tcp, from: ends.source, to: ends.destination, timed, packet.direction)
            note(flow, tcp, headers, timed, packet)
            read(flow, tcp, headers, timed, packet)
        case .udp where ends.source.port == Self.dns || ends.destination.port == Self.dns:
            guard !timed.isDamaged, let message = DNSMessage(Array(packet.bytes[headers.payload])) else { return }
            add(message, ends, isTCP: false, timed, first: timed.observed, last: timed.observed)
        case .udp:
            let flow = flows.place(
                datagramFrom: ends.source,
                to: ends.destination,
                timed,
                carrier: QUICHeader.isInitial(packet.bytes[headers.payload]) ? .quic : .udp
            )
            note(flow, nil, headers, timed, packet)
        default: break
        }
    }

    private mutating func note(
        _ flow: FlowTable.Place,
        _ tcp: TCPHeader?,
        _ headers: PacketHeaders,
        _ timed: TimedPacket,
        _ packet: CapturedPacket
    ) {
        flowPackets.append(
            FlowPacket(
                timed,
                flow,
                tcp: tcp,
                payload: headers.payloadLength,
                length: headers.lengthOnTheWire(packet, wirePackets: timed.wirePackets)
            )
        )
    }

    /// Reads what a segment carries.
    private mutating func read(
        _ flow: FlowTable.Place,
        _ tcp: TCPHeader,
        _ headers: PacketHeaders,
        _ timed: TimedPacket,
        _ packet: CapturedPacket
    ) {
        while conversations.count <= flow.number { conversations.append(nil) }
        let isDNS = flows.flows[flow.number].server.port == Self.dns
        if conversations[flow.number] == nil { conversations[flow.number] = Conversation(isDNS: isDNS, decoders) }
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
        let key = FlowKey.of(source: ends.source, destination: ends.destination, isTCP: isTCP).key
        queries.add(message, in: key, first: first, last: last, ends: ends)
    }

    /// What all records together say. The reader can take further ones.
    package func read() -> Traffic {
        var traffic = Traffic()
        traffic.link = link.result
        traffic.nameQueries = queries.inOrder
        let groups = FlowGroups(flowPackets, flows: flows.flows.count)
        traffic.connections = groups.inOrder.compactMap { number, packets in
            let flow = flows.flows[number]
            guard flow.isCertain else { return nil }
            var connection = ConnectionReading.read(flow, packets)
            if flow.carrier == .tcp {
                RoundTripReading.read(packets) { trip, moment in
                    connection.roundTrips.add(trip)
                    traffic.link.history.change(at: moment) { $0.roundTrips.add(trip) }
                }
            }
            if conversations.indices.contains(number) { conversations[number]?.describe(&connection) }
            if let begin = packets.first?.observed.sent {
                (connection.resolvedNames, connection.isNamedByClient) = (
                    queries.names.names(of: flow.server.address, at: begin), connection.serverName != nil
                )
                connection.serverName = connection.serverName ?? connection.resolvedNames.last
            }
            return connection
        }
        return traffic
    }

    private static let dns: UInt16 = 53
}

extension PacketHeaders {
    /// The bytes of IP of a packet, or of all that a super-packet stands for: each has the headers.
    fileprivate func lengthOnTheWire(_ packet: CapturedPacket, wirePackets: Int) -> Int {
        let link = ethernet.map { 14 + 4 * $0.vlans.count } ?? 0
        let length = ip.map(\.length).flatMap { $0 > 0 ? $0 : nil } ?? max(packet.length - link, 0)
        return length + max(length - payloadLength, 0) * (wirePackets - 1)
    }
}
