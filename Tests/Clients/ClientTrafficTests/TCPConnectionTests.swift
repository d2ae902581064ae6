// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import InternetAddresses
import Testing

@testable import ClientTraffic
@testable import TestPackets

/// What is read of TCP connections.
@Suite struct TCPConnectionTests {
    private let request = [UInt8](repeating: 1, count: 100)
    private let answer = [UInt8](repeating: 2, count: 1000)

    /// A connection that is opened, asks, is answered and ends, on a link of 20 ms each way.
    private func exchange(_ capture: inout TestCapture) {
        capture.client(.syn, 0, at: 0)
        capture.server(.answer, 0, ack: 1, at: 20)
        capture.client(.acknowledgment, 1, ack: 1, at: 40)
        capture.client(.data, 1, ack: 1, request, at: 41)
        capture.server(.data, 1, ack: 101, answer, at: 61)
        capture.client(.end, 101, ack: 1001, at: 90)
        capture.server(.end, 1001, ack: 102, at: 110)
        capture.client(.acknowledgment, 102, ack: 1002, at: 130)
    }

    @Test(arguments: [false, true])
    func readsAnExchange(isIPv6: Bool) throws {
        var capture = TestCapture()
        capture.template.isIPv6 = isIPv6
        exchange(&capture)
        let connection = try #require(capture.connection)
        let addresses = isIPv6 ? ("2001:db8::1", "2001:db8::2") : ("10.0.0.1", "192.0.2.7")
        #expect(connection.carrier == .tcp)
        #expect(connection.client == Endpoint(try #require(IPAddress(addresses.0)), 50_000))
        #expect(connection.server == Endpoint(try #require(IPAddress(addresses.1)), 80))
        #expect(connection.attempts.map(\.number) == [1])
        #expect(connection.accepted?.number == 2 && connection.accepted?.sentAt == 20)
        #expect(connection.accepted?.deliveredAt == 40)
        #expect(connection.firstRequest?.number == 4 && connection.firstRequest?.deliveredAt == 61)
        #expect(connection.answers.map(\.number) == [5] && connection.answers[0].deliveredAt == 81)
        #expect(connection.clientPackets.map(\.number) == [1, 4, 6])
        #expect(connection.endings.map(\.side) == [.client, .server])
        #expect(connection.endings.map(\.kind) == [.finish, .finish])
        #expect(connection.retransmissions.isEmpty)
        #expect(connection.packets == SideCounts(client: 5, server: 3))
        #expect(connection.payloadBytes == SideCounts(client: 100, server: 1000))
        let headers = isIPv6 ? 60 : 40
        #expect(connection.bytes == SideCounts(client: 5 * headers + 100, server: 3 * headers + 1000))
    }

    /// The client has sent no more for what the link makes of it.
    @Test(arguments: [TestCapture.Link.copy(30), .damagedCopy(30), .lostCopy])
    func countsNoCopyOfTheLinks(link: TestCapture.Link) throws {
        var (capture, plain) = (TestCapture(), TestCapture())
        for isCopied in [false, true] {
            capture.client(.syn, 0, at: 0)
            capture.server(.answer, 0, ack: 1, at: 20)
            capture.client(.data, 1, ack: 1, request, at: 41)
            if isCopied { capture.client(.data, 1, ack: 1, request, at: 41, link) }
            if !isCopied { (plain, capture) = (capture, TestCapture()) }
        }
        let (copied, whole) = (try #require(capture.connection), try #require(plain.connection))
        #expect(copied.retransmissions.isEmpty)
        #expect(copied.bytes == whole.bytes && copied.packets == whole.packets)
    }

    /// The server's kernel refuses each packet of the client anew, until the client learns of it.
    @Test(arguments: [TestCapture.Link.lost, .damaged(20)])
    func endsWithTheResetThatArrives(first: TestCapture.Link) throws {
        var capture = TestCapture()
        capture.client(.syn, 0, at: 0)
        capture.server(.answer, 0, ack: 1, at: 20)
        capture.client(.data, 1, ack: 1, request, at: 41)
        capture.server([.reset], 1, at: 61, first)
        capture.client(.data, 1, ack: 1, request, at: 300)
        capture.server([.reset], 1, at: 320)
        let connection = try #require(capture.connection)
        #expect(connection.endings.map(\.packet.deliveredAt) == [340])
    }

    @Test func countsEachTryToOpenOne() throws {
        var capture = TestCapture()
        for time in [0, 1000, 3000] { capture.client(.syn, 0, at: time, .lost) }
        let connection = try #require(capture.connection)
        #expect(connection.attempts.map(\.sentAt) == [0, 1000, 3000])
        #expect(connection.attempts.allSatisfy { $0.delivered == nil })
        #expect(connection.retransmissions.map(\.packet.number) == [2, 3])
        #expect(connection.retransmissions.allSatisfy { $0.isOpening && $0.side == .client })
        #expect(connection.accepted == nil && connection.answers.isEmpty)
    }

    @Test func takesTheFirstAcceptanceThatWasDelivered() throws {
        var capture = TestCapture()
        capture.client(.syn, 0, at: 0)
        capture.server(.answer, 0, ack: 1, at: 20, .lost)
        capture.server(.answer, 0, ack: 1, at: 1020)
        let connection = try #require(capture.connection)
        #expect(connection.accepted?.number == 3)
        #expect(
            connection.retransmissions == [
                Retransmission(by: .server, try #require(connection.accepted), isOpening: true)
            ]
        )
    }

    /// The file has what the server sent first later: it was delivered later than its loss was known.
    @Test func countsWhatIsSentAgainBySide() throws {
        var capture = TestCapture()
        capture.client(.syn, 0, at: 0)
        capture.server(.answer, 0, ack: 1, at: 20)
        capture.client(.data, 1, ack: 1, request, at: 41, .lost)
        capture.client(.data, 1, ack: 1, request, at: 250)
        capture.server(.data, 1001, ack: 101, answer, at: 271, .lost)
        capture.server(.data, 1, ack: 101, answer, at: 270)
        capture.server(.data, 1001, ack: 101, answer, at: 500)
        let connection = try #require(capture.connection)
        #expect(connection.retransmissions.map(\.packet.number) == [4, 7])
        #expect(connection.retransmissions.map(\.side) == [.client, .server])
        #expect(connection.retransmissions.allSatisfy { !$0.isOpening })
        #expect(connection.payloadBytes == SideCounts(client: 100, server: 2000))
        #expect(connection.answers.map(\.number) == [6, 7])
        #expect(connection.clientPackets.map(\.number) == [1, 3, 4])
    }

    /// What waits in a queue for longer than the sender does is sent again before it is delivered.
    @Test func judgesByTheOrderOfSending() throws {
        var capture = TestCapture()
        capture.client(.syn, 0, at: 0)
        capture.server(.answer, 0, ack: 1, at: 20)
        capture.server(.data, 1, ack: 1, answer, at: 900, .lost)
        capture.server(.data, 1, ack: 1, answer, at: 100, .after(5000))
        capture.server(.end, 1001, ack: 1, at: 950, .lost)
        capture.server(.end, 1001, ack: 1, at: 110, .after(5000))
        let connection = try #require(capture.connection)
        #expect(connection.retransmissions.map(\.packet.number) == [3, 5])
        #expect(connection.endings.map(\.packet.number) == [6])
        #expect(connection.answers.map(\.number) == [4])
    }

    @Test func takesNoCopyForSomethingSent() throws {
        var capture = TestCapture()
        capture.client(.syn, 0, at: 0)
        capture.server(.answer, 0, ack: 1, at: 20)
        capture.server(.data, 1, ack: 1, answer, at: 30)
        capture.server(.data, 1, ack: 1, answer, at: 31, .copy(20))
        capture.client(.data, 1, ack: 1001, request, at: 40)
        capture.client(.data, 1, ack: 1001, request, at: 40, .copy(20))
        let connection = try #require(capture.connection)
        #expect(connection.retransmissions.isEmpty)
        #expect(connection.packets == SideCounts(client: 2, server: 2))
        #expect(connection.answers.map(\.number) == [3])
        #expect(connection.bytes == SideCounts(client: 180, server: 1080))
    }

    @Test func takesNoKeepAliveForARetransmission() throws {
        var capture = TestCapture()
        exchange(&capture)
        capture.client(.acknowledgment, 100, ack: 1001, at: 60_000)
        var connection = try #require(capture.connection)
        #expect(connection.retransmissions.isEmpty)
        capture = TestCapture()
        capture.client(.syn, 0, at: 0)
        capture.client(.data, 1, ack: 1, [7], at: 10, .lost)
        // Sent again, since it was lost; then asked for, since it was acknowledged.
        capture.client(.data, 1, ack: 1, [7], at: 300)
        capture.server(.acknowledgment, 1, ack: 2, at: 320)
        capture.client(.acknowledgment, 1, ack: 1, [7], at: 60_000)
        connection = try #require(capture.connection)
        #expect(connection.retransmissions.map(\.packet.number) == [3])
    }

    @Test func opensAnotherFromTheSamePort() throws {
        var capture = TestCapture()
        exchange(&capture)
        capture.initial = (9_000_000, 70)
        exchange(&capture)
        let connections = capture.traffic.connections
        #expect(connections.map(\.attempts.count) == [1, 1])
        #expect(connections.map(\.packets.client) == [5, 5])
        #expect(connections.allSatisfy { $0.retransmissions.isEmpty && $0.endings.count == 2 })
    }

    @Test func followsSequenceNumbersThatWrap() throws {
        var capture = TestCapture()
        capture.initial = (.max, .max - 500)
        exchange(&capture)
        capture.server(.data, 1, ack: 101, answer, at: 200)
        let connection = try #require(capture.connection)
        #expect(connection.payloadBytes == SideCounts(client: 100, server: 1000))
        #expect(connection.retransmissions.map(\.packet.number) == [9])
    }

    @Test func tellsWhoResets() throws {
        var capture = TestCapture()
        capture.client(.syn, 0, at: 0)
        capture.server([.reset, .acknowledgment], 0, ack: 1, at: 20)
        var connection = try #require(capture.connection)
        #expect(connection.endings.map(\.side) == [.server] && connection.endings[0].kind == .reset)
        #expect(connection.endings[0].packet.deliveredAt == 40 && connection.accepted == nil)
        capture = TestCapture()
        exchange(&capture)
        for time in [200, 201] { capture.client(.reset, 102, at: time) }
        connection = try #require(capture.connection)
        #expect(connection.endings.map(\.kind) == [.finish, .finish, .reset])
        #expect(connection.endings.last?.packet.number == 9 && connection.retransmissions.isEmpty)
    }

    @Test func knowsTheClientWithoutASYN() throws {
        var capture = TestCapture()
        capture.template.serverPort = 60_000
        capture.server(.data, 1, ack: 1, answer, at: 0)
        capture.client(.acknowledgment, 1, ack: 1001, at: 30)
        #expect(try #require(capture.connection).client.port == 50_000)
        capture = TestCapture()
        capture.server(.answer, 0, ack: 1, at: 0, .untold)
        #expect(try #require(capture.connection).client.port == 50_000)
        capture = TestCapture()
        capture.server(.data, 1, ack: 1, answer, at: 0, .untold)
        #expect(try #require(capture.connection).client.port == 50_000)
    }

    @Test func keepsOneAnswerAMillisecond() throws {
        var capture = TestCapture()
        capture.client(.syn, 0, at: 0)
        for index in 0..<10 {
            capture.server(.data, UInt32(1 + 10 * index), ack: 1, [UInt8](repeating: 0, count: 10), at: 50)
        }
        capture.server(.data, 101, ack: 1, [1], at: 51)
        #expect(try #require(capture.connection).answers.map(\.number) == [2, 12])
    }

    @Test func readsACaptureThatTellsNoFates() throws {
        var capture = TestCapture()
        capture.client(.syn, 0, at: 0, .untold)
        capture.server(.answer, 0, ack: 1, at: 20, .untold)
        capture.server(.data, 1, ack: 1, answer, at: 21, .untold)
        let connection = try #require(capture.connection)
        #expect(connection.accepted?.deliveredAt == 20 && connection.answers.map(\.deliveredAt) == [21])
    }
}
