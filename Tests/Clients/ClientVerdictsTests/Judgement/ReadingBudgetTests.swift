// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import Testing

@testable import ClientTraffic
@testable import ClientVerdicts
@testable import TestPackets

/// A client that does more than there is memory for.
@Suite struct ReadingBudgetTests {
    private static let query: [UInt8] = [0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 97, 0, 0, 1, 0, 1]

    /// A connection with some requests, each answered.
    private static func connect(_ capture: inout TestCapture, at time: Int, requests: Int = 1) {
        let request = Array("GET /a HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8)
        let time = 1_000_000 + time
        capture.client(.syn, 0, at: time)
        capture.server(.answer, 0, ack: 1, at: time + 1, .after(1))
        var (sent, received) = (UInt32(1), UInt32(1))
        for number in 0..<requests {
            capture.client(.data, sent, ack: received, request, at: time + 4 + 4 * number, .after(1))
            sent += UInt32(request.count)
            capture.server(.data, received, ack: sent, answer, at: time + 6 + 4 * number, .after(1))
            received += UInt32(answer.count)
        }
        capture.client(.end, sent, ack: received, at: time + 4 + 4 * requests, .after(1))
        capture.server(.end, received, ack: sent + 1, at: time + 6 + 4 * requests, .after(1))
    }

    private func judge(_ text: String, _ capture: TestCapture) throws -> Judgement {
        var run = JudgedRun()
        run.traffic = capture.traffic
        run.record.end = JudgedRun.at(100_000)
        return try run.judge(text)
    }

    @Test func countsConnectionsForWhichThereIsNoMemory() throws {
        var capture = TestCapture(memory: 60_000)
        for number in 0..<50 {
            Self.connect(&capture, at: 100 * number)
            capture.template.clientPort += 1
        }
        // Sent again, it is the same.
        capture.client(.syn, 0, at: 1_006_000)
        capture.client(.syn, 0, at: 1_007_000)
        let traffic = capture.traffic
        #expect(traffic.connections.count < 15 && traffic.connections.count + traffic.unkept.connections == 51)
        for what in ["connections", "connection attempts"] {
            #expect(try judge("at most 51 \(what)", capture).verdict == .pass)
            #expect(try judge("at most 5 \(what)", capture).verdict == .fail)
            let doubt = try judge("at most 30 \(what)", capture)
            #expect(doubt.verdict == .inconclusive && doubt.finding.contains("connections"), "\(doubt)")
        }
        let bytes = traffic.connections.reduce(0) { $0 + $1.bytes.client + $1.bytes.server } + traffic.unkept.bytes
        #expect(try judge("at most \(bytes) bytes", capture).verdict == .pass)
        #expect(try judge("at most \(bytes - 1) bytes", capture).verdict == .inconclusive)
        for text in ClientExpectation.examples where !text.hasPrefix("completes") && !text.hasPrefix("exits") {
            let verdict = try judge(text, capture).verdict
            #expect(verdict != .pass || text.contains("kB"), "\(text): \(verdict)")
        }
        #expect(try judge("completes within 100 s", capture).verdict == .pass)
    }

    @Test func countsRequestsForWhichThereIsNoMemory() throws {
        var capture = TestCapture(memory: 100_000)
        Self.connect(&capture, at: 0, requests: 500)
        #expect(capture.traffic.connections[0].requests.count + capture.traffic.unkept.requests == 500)
        #expect(capture.traffic.connections[0].requests.allSatisfy { $0.completed != nil })
        #expect(try judge("at most 500 requests", capture).verdict == .pass)
        let fail = try judge("at most 499 requests", capture)
        #expect(fail.verdict == .fail && fail.finding.hasPrefix("500 requests"), "\(fail)")
        #expect(try judge("at most 499 requests to 192.0.2.7", capture).verdict == .inconclusive)
        #expect(try judge("sends no request twice", capture).verdict == .inconclusive)
        #expect(try judge("at most 1 connection", capture).verdict == .pass)
        // Nor for any of a later connection's.
        capture.template.clientPort += 1
        Self.connect(&capture, at: 10_000, requests: 5)
        #expect(try judge("at most 505 requests", capture).verdict == .pass)
        #expect(try judge("at most 504 requests", capture).verdict == .fail)
    }

    @Test func countsQueriesForWhichThereIsNoMemory() throws {
        var capture = TestCapture(memory: 30_000)
        capture.template.serverPort = 53
        for number in 0..<100 {
            capture.datagram(Self.query, at: 1_000_000 + number)
            capture.template.clientPort += 1
        }
        #expect(capture.traffic.nameQueries.count < 20)
        #expect(try judge("at most 100 DNS queries", capture).verdict == .pass)
        #expect(try judge("at most 99 DNS queries", capture).verdict == .fail)
        #expect(try judge("at most 4700 bytes", capture).verdict == .pass)
        #expect(try judge("at most 4699 bytes", capture).verdict == .inconclusive)
    }

    /// What is asked while a run goes on takes nothing from what comes later.
    @Test func isNotTakenByLooks() throws {
        var capture = TestCapture(memory: 1 << 20)
        Self.connect(&capture, at: 0, requests: 100)
        let first = capture.traffic
        for _ in 0..<1000 { _ = capture.traffic }
        #expect(capture.traffic == first && first.unkept == UnkeptTraffic())
    }
}
