// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import LinkProfiles
import Testing

@testable import ClientTraffic
@testable import TestPackets

/// Packets of UDP.
@Suite struct DatagramTests {
    @Test(arguments: [false, true])
    func areAConnection(isIPv6: Bool) throws {
        var capture = TestCapture()
        capture.template.isIPv6 = isIPv6
        capture.template.serverPort = 60_000
        for (time, link) in [(0, TestCapture.Link.lost), (1000, .after(20)), (1000, .copy(20))] {
            capture.datagram([1, 2, 3], at: time, link)
        }
        capture.datagram([4, 5], fromClient: false, at: 1050, .lost)
        capture.datagram([4, 5], fromClient: false, at: 1060)
        let connection = try #require(capture.connection)
        #expect(connection.carrier == .udp && connection.client.port == 50_000)
        #expect(connection.attempts.map(\.number) == [1] && connection.firstRequest?.number == 1)
        #expect(connection.accepted?.number == 5 && connection.answers.map(\.number) == [5])
        #expect(connection.clientPackets.map(\.number) == [1, 2])
        let headers = isIPv6 ? 48 : 28
        #expect(connection.bytes == SideCounts(client: 2 * (headers + 3), server: 2 * (headers + 2)))
        #expect(connection.payloadBytes == SideCounts(client: 6, server: 4))
        #expect(connection.packets == SideCounts(client: 2, server: 2) && connection.retransmissions.isEmpty)
    }

    @Test(arguments: [
        ([0xC3, 0, 0, 0, 1, 2, 7, 7, 0], Connection.Carrier.quic), ([0xD3, 0x6B, 0x33, 0x43, 0xCF, 0], .quic),
        // A short header, version negotiation, no fixed bit, a handshake packet, an ID that is cut, one too long.
        ([0x43, 0, 0, 0, 1, 2, 7, 7], .udp), ([0xC3, 0, 0, 0, 0, 2, 7, 7], .udp), ([0x83, 0, 0, 0, 1, 0], .udp),
        ([0xE3, 0, 0, 0, 1, 0], .udp), ([0xC3, 0, 0, 0, 1, 3, 7, 7], .udp),
        ([0xC3, 0, 0, 0, 1, 21] + [UInt8](repeating: 7, count: 30), .udp), ([], .udp), ([0xC3], .udp),
    ])
    func areQUICIfTheyBeginSo(payload: [UInt8], carrier: Connection.Carrier) throws {
        var capture = TestCapture()
        capture.datagram(payload, at: 0)
        capture.datagram([0xC3, 0, 0, 0, 1, 0], at: 1)
        #expect(try #require(capture.connection).carrier == carrier)
    }

    /// The link may have changed the very bit that tells, and what came before it is lost.
    @Test func areQUICThoughTheFirstInitialWasDamaged() throws {
        var capture = TestCapture()
        capture.datagram([0x83, 0, 0, 0, 1, 0], at: 0, .damaged(20))
        capture.datagram([0xC3, 0, 0, 0, 1, 0], at: 1000)
        capture.datagram([0x43], at: 1100)
        let connection = try #require(capture.connection)
        #expect(connection.carrier == .quic && connection.attempts.map(\.number) == [1])
    }

    /// One that lacks a fragment never arrives, and one that has all arrives with the last of them.
    @Test(arguments: [[nil, 20, 30], [20, nil, 30], [20, 30, nil], [20, 45, 30]] as [[Int?]])
    func arriveAsAWholeOrNotAtAll(delays: [Int?]) throws {
        var capture = TestCapture()
        let whole = TestPacket(serverPort: 60_000, payload: [UInt8](repeating: 7, count: 40)).bytes
        for (part, delay) in zip([0..<24, 24..<40, 40..<48], delays) {
            var bytes = Array(whole[..<20] + whole[20...][(20 + part.lowerBound)..<(20 + part.upperBound)])
            (bytes[2], bytes[3]) = (0, UInt8(bytes.count))
            (bytes[6], bytes[7]) = (part.upperBound < 48 ? 0x20 : 0, UInt8(part.lowerBound / 8))
            var packet = CapturedPacket(time: 1_000_000, bytes: bytes)
            let fate = delay.map { "passed delay=\($0).000000ms" } ?? "dropped reason=randomLoss due=1.000000ms"
            packet.comments = ["lane=uplink fate=\(fate)"]
            capture.add(.packet(packet))
        }
        let sent = try #require(capture.connection?.clientPackets)
        let latest = delays.contains(nil) ? nil : delays.compactMap { $0 }.max()
        #expect(sent.map(\.number) == [1])
        #expect(sent[0].delivered?.nanoseconds == latest.map { 1_000_000 * Int64($0 + 1) })
        // The sender has sent all three, each with an IP header.
        #expect(capture.connection?.bytes.client == 48 + 3 * 20)
    }

    /// Its sender may never send the rest.
    @Test(arguments: [false, true]) func waitForNoFragmentForever(isComplete: Bool) throws {
        var capture = TestCapture()
        var bytes = TestPacket(serverPort: 60_000, payload: [7, 7, 7, 7, 7, 7, 7, 7]).bytes
        bytes[6] = 0x20
        var packet = CapturedPacket(time: 1_000_000, bytes: bytes)
        packet.comments = ["lane=uplink fate=passed delay=20.000000ms"]
        capture.add(.packet(packet))
        var statistics = CaptureStatistics(begin: 0, end: 1)
        statistics.completeUntil = 9_000_000
        if isComplete { capture.add(.statistics(statistics, interface: 0)) }
        for _ in 0..<2 { #expect(capture.connection?.attempts.map(\.number) == [1]) }
        #expect(capture.traffic.unkept.bytes == 0)
    }

    /// A later fragment has no ports.
    @Test func countOnlyTheFirstFragment() throws {
        var capture = TestCapture()
        capture.datagram([1, 2, 3], at: 0)
        var bytes = TestPacket(payload: [9, 9, 9]).bytes
        (bytes[6], bytes[7]) = (0, 5)
        capture.add(.packet(CapturedPacket(time: 0, bytes: bytes)))
        #expect(try #require(capture.connection).packets.client == 1 && capture.traffic.link.packets == 2)
    }

    /// Each packet of a super-packet has headers of its own.
    @Test func countTheBytesThatASuperPacketIsOnTheWire() throws {
        var capture = TestCapture()
        let packet = TestPacket(payload: [UInt8](repeating: 1, count: 300))
        var fate = PacketFate(lane: .uplink, .passed, due: .zero, delay: .zero)
        fate.packets = 3
        var captured = CapturedPacket(time: 0, bytes: packet.bytes)
        captured.comments = [fate.description]
        capture.add(.packet(captured))
        let connection = try #require(capture.connection)
        // Of IP and UDP.
        #expect(connection.packets.client == 3 && connection.bytes.client == 300 + 3 * 28, "\(connection.bytes)")
    }
}
