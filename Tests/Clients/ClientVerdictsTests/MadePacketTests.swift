// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import LinkProfiles
import Testing

@testable import ClientTraffic
@testable import ClientVerdicts
@testable import TestPackets

/// Packets that a fault has sent in the name of one end: what they do to the other end counts, and not who seems to have
/// sent them.
@Suite struct MadePacketTests {
    private let request = Array("GET / HTTP/1.1\r\n\r\n".utf8)
    private let answer = Array("HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n".utf8)

    /// A connection with a request, whose answer never comes.
    private func begun() -> TestCapture {
        var capture = TestCapture()
        capture.client(.syn, 0, at: 0)
        capture.server(.answer, 0, ack: 1, at: 20)
        capture.client(.acknowledgment, 1, ack: 1, at: 40)
        capture.client(.data, 1, ack: 1, request, at: 41, .lost)
        return capture
    }

    /// - Parameter isOpen: whether a look at the sockets has found the connection open at the end.
    private func verdict(_ text: String, _ capture: TestCapture, from label: Int = 0, isOpen: Bool = false) throws
        -> Verdict
    {
        let start = Instant(nanoseconds: 0)
        var record = RunRecord(begin: start, end: start + .seconds(10), outcome: .exited(0))
        if isOpen { record.openAtEnd = capture.traffic.connections.map { .init(SocketEnds(of: $0)) } }
        record.labels = [RunRecord.Label("broken", .step, from: start + .milliseconds(label), to: record.end)]
        return ClientJudge(JudgedTraffic(capture.traffic, of: record), record).judge(
            try ClientExpectation(parsing: text)
        )
        .verdict
    }

    @Test func aResetInTheClientsNameIsNotItsOwn() throws {
        var capture = begun()
        capture.client([.reset, .acknowledgment], 1, ack: 1, at: 41, .made(20))
        let connection = try #require(capture.connection)
        #expect(connection.endings.isEmpty)
        #expect(connection.packets.client == 3 && connection.clientPackets.map(\.number) == [1, 4])
        let expectation = "closes within 1 s of 'broken'"
        #expect(try verdict(expectation, capture, from: 50, isOpen: true) == .fail)
        // Without a look at the sockets, only the end of the process is certain.
        #expect(try verdict(expectation, capture, from: 50) == .inconclusive)
    }

    @Test func aResetInTheServersNameEndsTheConnectionForTheClient() throws {
        var capture = begun()
        capture.server(.reset, 1, at: 41, .made(20))
        let connection = try #require(capture.connection)
        #expect(connection.endings.map(\.isOfFault) == [true])
        #expect(connection.endings.map(\.side) == [.server] && connection.endings.map(\.kind) == [.reset])
        #expect(connection.packets.server == 1 && connection.bytes.server == 40)
        #expect(try verdict("leaves no connection open", capture) == .pass)
    }

    @Test func bytesInTheServersNameAreNoAnswer() throws {
        var capture = begun()
        capture.server([.push, .acknowledgment, .fin], 1, ack: 19, answer, at: 41, .made(20))
        let connection = try #require(capture.connection)
        #expect(connection.answers.isEmpty && connection.payloadBytes.server == 0)
        #expect(try verdict("recovers within 1 s of 'broken'", capture) == .fail)
        #expect(try verdict("first byte within 1 s", capture) == .fail)
        // The client has seen it all the same: it was redirected.
        #expect(connection.requests.map(\.status) == [302])
    }

    @Test func anAcceptanceInTheServersNameIsOneForTheClient() throws {
        var capture = TestCapture()
        capture.client(.syn, 0, at: 0, .lost)
        capture.server(.answer, 0, ack: 1, at: 0, .made(20))
        #expect(try #require(capture.connection).accepted?.number == 2)
    }

    @Test func lossesHaveTheirFaultAsReason() throws {
        var capture = TestCapture()
        var fate = PacketFate(lane: .uplink, .dropped(.fault(FaultMark(2, .refuse))), due: .zero, delay: nil)
        fate.packets = 3
        var packet = CapturedPacket(time: 0, bytes: TestPacket().bytes)
        packet.comments = [fate.description]
        capture.add(.packet(packet))
        #expect(capture.traffic.link.dropped == [.fault(FaultMark(2, .refuse)): 3])
    }
}
