// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import Testing

@testable import ClientTraffic
@testable import TestPackets

/// What is read of packets of which the link has changed a bit: of their headers, or of what they carry.
@Suite struct DamagedPacketTests {
    private let request = [UInt8](repeating: 1, count: 100)

    /// A connection that is opened on a link of 20 ms each way.
    private func open(_ capture: inout TestCapture) {
        capture.client(.syn, 0, at: 0)
        capture.server(.answer, 0, ack: 1, at: 20)
        capture.client(.acknowledgment, 1, ack: 1, at: 40)
    }

    /// A bit of its IP header may be what is wrong.
    @Test func countsTheBytesOfADamagedPacketAsTheyWereSent() throws {
        var capture = TestCapture()
        capture.client(.syn, 0, at: 0)
        var records = capture.records
        capture.client(.data, 1, request, at: 10, .damaged(20))
        guard case .packet(var packet) = capture.records[capture.records.count - 1] else { return }
        packet.bytes[2] ^= 0x10
        records.append(.packet(packet))
        var reader = TrafficReader()
        for record in records { reader.add(record) }
        #expect(reader.read().connections.map(\.bytes.client) == [40 + 140])
    }

    /// Nothing else would tell that it let go of an accepted connection.
    @Test func endsByTheClientsResetThoughThatWasDamaged() throws {
        var capture = TestCapture()
        capture.client(.syn, 0, at: 0)
        capture.server(.answer, 0, ack: 1, at: 20)
        capture.client(.acknowledgment, 1, ack: 1, at: 40)
        capture.client([.reset, .acknowledgment], 1, ack: 1, at: 60, .damaged(20))
        #expect(capture.traffic.connections.first?.endings.map(\.kind) == [.reset])
    }

    @Test func isTheClientsThoughItsFirstPacketWasDamaged() throws {
        var capture = TestCapture()
        capture.client(.answer, 0, at: 0, .damaged(20))
        for time in [1000, 3000] { capture.client(.syn, 0, at: time, .lost) }
        #expect(capture.traffic.connections.map(\.client.port) == [50_000])
    }

    /// A wrong bit may be in a port: a connection that consists of damaged packets is none.
    @Test func takesNoDamagedPacketForAnotherConnection() throws {
        var capture = TestCapture()
        open(&capture)
        capture.template.clientPort = 50_001
        capture.client(.data, 1, ack: 1, request, at: 60, .damaged(20))
        #expect(try #require(capture.connection).client.port == 50_000)
        capture = TestCapture()
        capture.client(.syn, 0, at: 0, .damaged(20))
        capture.client(.syn, 0, at: 1000)
        capture.server(.answer, 0, ack: 1, at: 1020, .damaged(20))
        capture.server(.answer, 0, ack: 1, at: 2020)
        let connection = try #require(capture.connection)
        #expect(connection.attempts.count == 2 && connection.accepted?.number == 4)
    }

    /// The wrong bit made a SYN, a FIN or a RST of a packet that was none.
    @Test(arguments: [TCPHeader.Flags.syn, .fin, .reset])
    func goesOnAfterWhatOnlyLookedLikeAnEnd(flag: TCPHeader.Flags) throws {
        var capture = TestCapture()
        open(&capture)
        capture.client([.acknowledgment, flag], 1, ack: 1, at: 50, .damaged(20))
        capture.client(.data, 1, ack: 1, request, at: 60)
        capture.server(.data, 1, ack: 101, [1, 2, 3], at: 80)
        let connection = try #require(capture.connection)
        #expect(connection.endings.isEmpty && connection.retransmissions.isEmpty)
        #expect(connection.attempts.map(\.number) == [1] && connection.answers.map(\.number) == [6])
    }

    /// A request is sent when the client sends it, though the link damaged it then, and it is read of a later packet.
    @Test func countsARequestWhenItWasSentFirst() throws {
        let text = Array("GET / HTTP/1.1\r\nhost: a.test\r\n\r\n".utf8)
        var capture = TestCapture()
        open(&capture)
        capture.client(.data, 1, ack: 1, text, at: 60, .damaged(20))
        capture.client(.data, 1, ack: 1, text, at: 300)
        #expect(try #require(capture.connection).requests.map(\.packet.sentAt) == [60])
    }
}
