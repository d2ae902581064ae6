// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import Testing

@testable import ClientObservation

/// DNS queries, and the names of servers.
@Suite struct NameQueryTests {
    private static let server: [UInt8] = [192, 0, 2, 7]

    private static func name(_ name: String) -> [UInt8] {
        name.split(separator: ".").flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } + [0]
    }

    private static func query(_ text: String, _ identifier: UInt8 = 1) -> [UInt8] {
        [0, identifier, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0] + name(text) + [0, 1, 0, 1]
    }

    /// An alias and the address that it has.
    private static func answer(_ text: String, _ identifier: UInt8 = 1, code: UInt8 = 0) -> [UInt8] {
        [0, identifier, 0x81, 0x80 | code, 0, 1, 0, 2, 0, 0, 0, 0] + name(text) + [0, 1, 0, 1]
            + [0xC0, 12, 0, 5, 0, 1, 0, 0, 0, 9, 0, 5, 3, 0x63, 0x64, 0x6E, 0]
            + [3, 0x63, 0x64, 0x6E, 0, 0, 1, 0, 1, 0, 0, 0, 9, 0, 4] + server
    }

    private func dns(port: UInt16 = 40_000) -> TestCapture {
        var capture = TestCapture()
        capture.template.serverPort = 53
        capture.template.clientPort = port
        return capture
    }

    @Test func pairsAnswersWithQueries() throws {
        var capture = dns()
        capture.datagram(Self.query("a.test", 1), at: 0)
        capture.datagram(Self.query("b.test", 2), at: 1)
        capture.datagram(Self.query("c.test", 3), at: 2, .lost)
        capture.datagram(Self.answer("B.test", 2, code: 3), fromClient: false, at: 30)
        capture.datagram(Self.answer("a.test", 2), fromClient: false, at: 31)
        capture.datagram(Self.answer("a.test", 1), fromClient: false, at: 32, .lost)
        let queries = capture.traffic.nameQueries
        #expect(queries.map(\.name) == ["a.test", "b.test", "c.test"] && queries[0].type == 1)
        #expect(queries.map(\.answer?.number) == [nil, 4, nil])
        #expect(queries.map(\.code) == [nil, 3, nil] && queries[1].answer?.deliveredAt == 50)
        #expect(capture.traffic.connections.isEmpty)
    }

    @Test func countsAQueryThatIsSentAgain() throws {
        var capture = dns()
        for time in [0, 5000, 10_000] {
            capture.datagram(Self.query("a.test"), at: time, time == 0 ? .lost : .after(20))
        }
        capture.datagram(Self.query("a.test"), at: 10_000, .copy(30))
        capture.datagram(Self.answer("a.test"), fromClient: false, at: 10_030)
        #expect(capture.traffic.nameQueries.map(\.answer?.number) == [nil, 5, nil])
    }

    /// They are no connection, and count as bytes nevertheless.
    @Test func countsTheBytesOfMessages() throws {
        var capture = dns()
        capture.datagram(Self.query("a.test"), at: 0, .lost)
        capture.datagram(Self.query("a.test"), at: 500)
        capture.datagram(Self.query("a.test"), at: 500, .copy(30))
        capture.datagram(Self.answer("a.test"), fromClient: false, at: 520)
        var run = JudgedRun()
        run.traffic = capture.traffic
        // Headers of 28 bytes, and 24 of a query, 60 of an answer.
        let bytes = 2 * 52 + 88
        #expect(try run.judge("at most \(bytes - 1) bytes").finding == "\(bytes) bytes")
        #expect(try run.verdict("at most \(bytes) bytes") == .pass)
        #expect(try run.verdict("first byte within 10 s") == .inconclusive)
        // A monitor's are not the client's.
        let message = try #require(run.traffic.nameMessages.first)
        let ends = SocketEnds(message.client, message.server, isTCP: false)
        run.record.probes = [RunRecord.Probe(time: message.sent, socket: ends)]
        #expect(try run.judge("at most 0 bytes").finding == "0 bytes")
    }

    @Test func pairsEachAnswerWithItsOwnQuery() throws {
        var capture = dns()
        capture.datagram(Self.query("a.test"), at: 0)
        capture.datagram(Self.answer("a.test"), fromClient: false, at: 30, .lost)
        capture.datagram(Self.query("a.test"), at: 1000)
        capture.datagram(Self.answer("a.test"), fromClient: false, at: 1030)
        capture.datagram(Self.answer("a.test"), fromClient: false, at: 1030, .copy(20))
        #expect(capture.traffic.nameQueries.map(\.answer?.number) == [nil, 4])
        // The link drops an answer and delivers its copy.
        capture = dns()
        capture.datagram(Self.query("a.test"), at: 0)
        capture.datagram(Self.answer("a.test"), fromClient: false, at: 30, .lost)
        capture.datagram(Self.answer("a.test"), fromClient: false, at: 30, .copy(20))
        #expect(capture.traffic.nameQueries.map(\.answer?.number) == [3])
    }

    @Test func readsQueriesOverTCP() throws {
        var capture = dns()
        capture.client(.syn, 0, at: 0)
        capture.server(.answer, 0, ack: 1, at: 20)
        let messages = [Self.query("a.test"), Self.query("b.test", 2)].flatMap { TestPacket.word($0.count) + $0 }
        capture.client(.data, 1, ack: 1, Array(messages.prefix(30)), at: 41)
        capture.client(.data, 31, ack: 1, Array(messages.dropFirst(30)), at: 42)
        let answer = TestPacket.word(Self.answer("b.test", 2).count) + Self.answer("b.test", 2)
        capture.server(.data, 11, ack: 1, Array(answer.dropFirst(10)), at: 60)
        capture.server(.data, 1, ack: 1, Array(answer.prefix(10)), at: 61)
        let queries = capture.traffic.nameQueries
        #expect(queries.map(\.name) == ["a.test", "b.test"] && queries.map(\.packet.number) == [3, 3])
        #expect(queries.map(\.answer?.number) == [nil, 5] && queries[1].answer?.delivered != nil)
        #expect(capture.connection?.server.port == 53)
    }

    @Test func namesAServerAsItWasAskedFor() throws {
        var capture = dns()
        capture.datagram(Self.query("a.test"), at: 0)
        capture.datagram(Self.answer("a.test"), fromClient: false, at: 30)
        capture.template.serverPort = 80
        capture.client(.syn, 0, at: 60)
        capture.template.clientPort += 1
        // Begins before the answer.
        capture.client(.syn, 0, at: 40)
        #expect(capture.traffic.connections.map(\.serverName) == [nil, "a.test"])
        capture = TestCapture()
        capture.client(.syn, 0, at: 40)
        capture.add(.names(address: Self.server, ["b.test"]))
        #expect(capture.connection?.serverName == "b.test")
    }
}
