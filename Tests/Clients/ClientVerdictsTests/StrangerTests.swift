// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import Testing

@testable import ClientTraffic
@testable import ClientVerdicts
@testable import TestPackets

/// What comes first from outside: it is none of the client's doings.
@Suite struct StrangerTests {
    private static let initial: [UInt8] = [0xC3, 0, 0, 0, 1, 2, 7, 7, 0]
    private static let query: [UInt8] = [0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 97, 0, 0, 1, 0, 1]

    private func verdict(_ text: String, _ capture: TestCapture) throws -> Verdict {
        var run = JudgedRun()
        run.traffic = capture.traffic
        run.record.end = JudgedRun.at(60_000)
        return try run.verdict(text)
    }

    @Test func opensNoConnectionOfTheClients() throws {
        var capture = TestCapture()
        capture.datagram(Self.initial, fromClient: false, at: 1_000_100)
        // Whatever the client answers.
        capture.datagram(Self.initial, at: 1_000_200)
        capture.template.clientPort += 1
        capture.server(.syn, 0, at: 1_000_300)
        capture.client(.answer, 0, ack: 1, at: 1_000_400)
        #expect(capture.traffic.connections.map(\.isFromOutside) == [true, true])
        for text in [
            "at most 0 connections", "at most 0 connection attempts", "at most 0 connections at a time",
            "at most 0 bytes",
        ] {
            #expect(try verdict(text, capture) == .pass, "\(text)")
        }
        #expect(try verdict("falls back to TCP within 1 s", capture) == .inconclusive)
        // Its own count.
        capture.template.serverPort = 443
        capture.datagram(Self.initial, at: 1_005_000)
        for text in ["at most 0 connections", "at most 0 connection attempts", "falls back to TCP within 1 s"] {
            #expect(try verdict(text, capture) == .fail, "\(text)")
        }
    }

    /// Both send at the same time, as where a firewall is to be passed: each is on its way when the other sends.
    @Test func isNoPeerThatTheClientHasWrittenTo() throws {
        var capture = TestCapture()
        capture.datagram(Self.initial, fromClient: false, at: 1_000_090, .after(100))
        capture.datagram(Self.initial, at: 1_000_100, .after(200))
        let connection = try #require(capture.connection)
        #expect(!connection.isFromOutside && connection.client.port == 50_000 && connection.attempts.count == 1)
        #expect(try verdict("at most 0 connections", capture) == .fail)
    }

    @Test func asksNothingForTheClient() throws {
        var capture = TestCapture()
        // A query to the host, and an answer that was not asked for.
        capture.template.clientPort = 53
        capture.datagram(Self.query, fromClient: false, at: 1_000_000)
        (capture.template.clientPort, capture.template.serverPort) = (50_000, 53)
        capture.datagram(
            Self.query.replacing([0, 1, 1, 0], with: [0, 1, 0x81, 0x80]),
            fromClient: false,
            at: 1_000_100
        )
        #expect(capture.traffic.nameQueries.isEmpty && capture.traffic.nameMessages.isEmpty)
        #expect(try verdict("at most 0 bytes", capture) == .pass)
        capture.datagram(Self.query, at: 1_000_200)
        capture.datagram(
            Self.query.replacing([0, 1, 1, 0], with: [0, 1, 0x81, 0x80]),
            fromClient: false,
            at: 1_000_300
        )
        #expect(capture.traffic.nameQueries.count == 1 && capture.traffic.nameMessages.count == 2)
        #expect(capture.traffic.nameQueries.first?.answer?.number == 4)
    }
}
