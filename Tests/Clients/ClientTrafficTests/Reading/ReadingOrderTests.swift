// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import LinkProfiles
import TestKit
import Testing

@testable import ClientTraffic
@testable import TestPackets

/// Packets are read as they pass, though a capture has those that the client receives where they were delivered.
@Suite struct ReadingOrderTests {
    /// Any link, any packets, any cut: what is read equals what sorting all of it gives.
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func equalsReadingAllInOrder(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var (retransmissions, trips, ended, answers) = (0, 0, 0, 0)
        for _ in 0..<20 {
            let records = RandomCapture(using: &generator).records
            var reader = TrafficReader()
            for (index, record) in records.enumerated() {
                reader.add(record)
                guard index == records.count - 1 || generator.isOne(in: 60) else { continue }
                let prefix = records[...index]
                let traffic = reader.read()
                let isSame = traffic.connections.map(Self.withoutDoubts) == Self.sorted(prefix)
                #expect(isSame, "after \(index + 1) of \(records.count) records")
                #expect(traffic.link.disordered == 0)
                var other = TrafficReader()
                for record in prefix where !record.isRemark { other.add(record) }
                let isRepeated = other.read() == traffic
                #expect(isRepeated, "after \(index + 1) of \(records.count) records")
            }
            for connection in reader.read().connections {
                retransmissions += connection.retransmissions.count
                trips += connection.roundTrips.count
                ended += connection.endings.count
                answers += connection.answers.count
            }
        }
        #expect(retransmissions > 50 && trips > 50 && ended > 50 && answers > 50)
    }

    @Test func tellsOfWhatComesTooLate() {
        var capture = TestCapture()
        capture.client(.syn, 0, at: 0)
        capture.server(.answer, 0, ack: 1, at: 20)
        capture.add(.remark(until: 500))
        #expect(capture.traffic.link.disordered == 0)
        capture.client(.data, 1, ack: 1, [1, 2, 3], at: 10)
        let traffic = capture.traffic
        #expect(traffic.link.disordered == 1)
        #expect(traffic.connections.first?.packets == SideCounts(client: 2, server: 1))
        #expect(!traffic.link.isClosed)
    }

    /// Packets without a remark wait no longer than there is room.
    @Test func readsLongCapturesInOrder() {
        var order = PacketOrder(limit: 100)
        var (read, maximum) = (0, 0)
        for number in 1...1000 {
            let time = Instant(nanoseconds: Int64(number / 2 * 2))
            var packet = CapturedPacket(time: time.nanoseconds, bytes: [])
            packet.length = 60
            let timed = TimedPacket(packet, nil, number: number)
            let flow = ObservedConnections.Membership(number: 0, side: .client)
            order.add(FlowPacket(timed, flow, tcp: nil, payload: 0, length: 60))
            while case .sent(let next) = order.next() {
                read += 1
                #expect(next.number == read)
            }
            maximum = max(maximum, number - read)
        }
        #expect(read == 900 && maximum == 100)
    }

    /// A connection, but for what damaged packets of others may tell of it, and for what QUIC's headers tell, which are
    /// read in the order of the capture.
    private static func withoutDoubts(_ connection: Connection) -> Connection {
        var connection = connection
        (connection.mayHaveBegun, connection.mayHaveEnded) = (nil, false)
        (connection.quic, connection.isFromOutside) = (QUICUse(), false)
        return connection
    }

    private static func sorted(_ records: ArraySlice<CaptureRecord>) -> [Connection] {
        var flows = ObservedConnections()
        var packets: [[FlowPacket]] = []
        let budget = ReadingBudget()
        var number = 0
        for case .packet(let packet) in records {
            number += 1
            let fate = packet.comments.lazy.compactMap { PacketFate(comment: $0) }.first
            let timed = TimedPacket(packet, fate, number: number)
            let headers = PacketHeaders(packet.bytes, .raw, length: packet.length)
            guard let ip = headers.ip, let ports = headers.ports else { continue }
            let source = Endpoint(ip.source, ports.source)
            let destination = Endpoint(ip.destination, ports.destination)
            var segment: TCPHeader?
            let place: ObservedConnections.Membership?
            if case .tcp(let tcp) = headers.transport {
                segment = tcp
                place = flows.findOrAddFlow(tcp, from: source, to: destination, timed, budget)
            } else {
                place = flows.findOrAddFlow(datagramFrom: source, to: destination, timed, budget, carrier: .udp)
            }
            guard let flow = place else { continue }
            if flow.number == packets.count { packets.append([]) }
            let (payload, length) = (headers.payloadLength, packet.length)
            packets[flow.number].append(FlowPacket(timed, flow, tcp: segment, payload: payload, length: length))
        }
        return packets.indices.filter { flows.flows[$0].isCertain }
            .map { (packets[$0].min { $0.isBefore($1) }, SortedReading.read(flows.flows[$0], packets[$0])) }
            .sorted { left, right in
                guard let left = left.0, let right = right.0 else { return false }
                return left.isBefore(right)
            }
            .map(\.1)
    }
}

extension CaptureRecord {
    /// That all which was sent before a time, in milliseconds, precedes it.
    static func remark(until time: Int) -> CaptureRecord {
        var statistics = CaptureStatistics(begin: 0, end: 0)
        statistics.completeUntil = Int64(time) * 1_000_000
        return .statistics(statistics, interface: 0)
    }

    fileprivate var isRemark: Bool {
        if case .statistics(let statistics, _) = self { statistics.completeUntil != nil } else { false }
    }
}
