// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import Testing

@testable import ClientTraffic
@testable import TestPackets

/// DNS queries, and the names of servers.
@Suite struct NameQueryTests {
    @Test func pairsAnswersWithQueries() throws {
        var capture = TestQueries.capture()
        capture.datagram(TestQueries.query("a.test", 1), at: 0)
        capture.datagram(TestQueries.query("b.test", 2), at: 1)
        capture.datagram(TestQueries.query("c.test", 3), at: 2, .lost)
        capture.datagram(TestQueries.answer("B.test", 2, code: 3), fromClient: false, at: 30)
        capture.datagram(TestQueries.answer("a.test", 2), fromClient: false, at: 31)
        capture.datagram(TestQueries.answer("a.test", 1), fromClient: false, at: 32, .lost)
        let queries = capture.traffic.nameQueries
        #expect(queries.map(\.name) == ["a.test", "b.test", "c.test"] && queries[0].type == 1)
        #expect(queries.map(\.answer?.number) == [nil, 4, nil])
        #expect(queries.map(\.code) == [nil, 3, nil] && queries[1].answer?.deliveredAt == 50)
        #expect(capture.traffic.connections.isEmpty)
    }

    @Test func countsAQueryThatIsSentAgain() throws {
        var capture = TestQueries.capture()
        for time in [0, 5000, 10_000] {
            capture.datagram(TestQueries.query("a.test"), at: time, time == 0 ? .lost : .after(20))
        }
        capture.datagram(TestQueries.query("a.test"), at: 10_000, .copy(30))
        capture.datagram(TestQueries.answer("a.test"), fromClient: false, at: 10_030)
        #expect(capture.traffic.nameQueries.map(\.answer?.number) == [nil, 5, nil])
    }

    @Test func pairsEachAnswerWithItsOwnQuery() throws {
        var capture = TestQueries.capture()
        capture.datagram(TestQueries.query("a.test"), at: 0)
        capture.datagram(TestQueries.answer("a.test"), fromClient: false, at: 30, .lost)
        capture.datagram(TestQueries.query("a.test"), at: 1000)
        capture.datagram(TestQueries.answer("a.test"), fromClient: false, at: 1030)
        capture.datagram(TestQueries.answer("a.test"), fromClient: false, at: 1030, .copy(20))
        #expect(capture.traffic.nameQueries.map(\.answer?.number) == [nil, 4])
        // The link drops an answer and delivers its copy.
        capture = TestQueries.capture()
        capture.datagram(TestQueries.query("a.test"), at: 0)
        capture.datagram(TestQueries.answer("a.test"), fromClient: false, at: 30, .lost)
        capture.datagram(TestQueries.answer("a.test"), fromClient: false, at: 30, .copy(20))
        #expect(capture.traffic.nameQueries.map(\.answer?.number) == [3])
    }

    @Test func readsQueriesOverTCP() throws {
        var capture = TestQueries.capture()
        capture.client(.syn, 0, at: 0)
        capture.server(.answer, 0, ack: 1, at: 20)
        let messages = [TestQueries.query("a.test"), TestQueries.query("b.test", 2)].flatMap {
            TestPacket.word($0.count) + $0
        }
        capture.client(.data, 1, ack: 1, Array(messages.prefix(30)), at: 41)
        capture.client(.data, 31, ack: 1, Array(messages.dropFirst(30)), at: 42)
        let answer = TestPacket.word(TestQueries.answer("b.test", 2).count) + TestQueries.answer("b.test", 2)
        capture.server(.data, 11, ack: 1, Array(answer.dropFirst(10)), at: 60)
        capture.server(.data, 1, ack: 1, Array(answer.prefix(10)), at: 61)
        let queries = capture.traffic.nameQueries
        #expect(queries.map(\.name) == ["a.test", "b.test"] && queries.map(\.packet.number) == [3, 3])
        #expect(queries.map(\.answer?.number) == [nil, 5] && queries[1].answer?.delivered != nil)
        #expect(capture.connection?.server.port == 53)
    }

    @Test func namesAServerAsItWasAskedFor() throws {
        var capture = TestQueries.capture()
        capture.datagram(TestQueries.query("a.test"), at: 0)
        capture.datagram(TestQueries.answer("a.test"), fromClient: false, at: 30)
        capture.template.serverPort = 80
        capture.client(.syn, 0, at: 60)
        capture.template.clientPort += 1
        // Begins before the answer.
        capture.client(.syn, 0, at: 40)
        #expect(capture.traffic.connections.map(\.serverName) == [nil, "a.test"])
        capture = TestCapture()
        capture.client(.syn, 0, at: 40)
        capture.add(.names(address: TestQueries.server, ["b.test"]))
        #expect(capture.connection?.serverName == "b.test")
    }
}
