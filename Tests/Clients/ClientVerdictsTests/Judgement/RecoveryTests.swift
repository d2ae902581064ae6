// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import Testing

@testable import ClientTraffic
@testable import ClientVerdicts
@testable import TestPackets

/// `recovers within 5 s of 'out again'`: by an answer to a client that waits for it.
struct RecoveryTests {
    private static func verdict(_ capture: TestCapture, sockets: [RunRecord.SocketChange] = []) throws -> Verdict {
        let start = Instant(nanoseconds: 0)
        var record = RunRecord(begin: start, end: start + .seconds(60), outcome: .exited(0))
        record.labels = [RunRecord.Label("out again", .step, from: start + .seconds(20), to: record.end)]
        record.socketChanges = sockets
        let expectation = try ClientExpectation(parsing: "recovers within 5 s of 'out again'")
        return ClientJudge(JudgedTraffic(capture.traffic, of: record), record).judge(expectation).verdict
    }

    /// A connection that asks for something, just before the link goes dark.
    private static func capture() -> TestCapture {
        var capture = TestCapture()
        capture.client(.syn, 0, at: 0)
        capture.server(.answer, 0, ack: 1, at: 25)
        capture.client(.data, 1, ack: 1, Array("GET / HTTP/1.1\r\n\r\n".utf8), at: 50)
        capture.server(.data, 1, ack: 19, Array("HTTP/1.1 200 OK\r\n\r\n".utf8), at: 100, .lost)
        return capture
    }

    @Test func countsAnAnswerThatTheClientConfirms() throws {
        var capture = Self.capture()
        capture.server(.data, 1, ack: 19, Array("HTTP/1.1 200 OK\r\n\r\n".utf8), at: 22_000)
        capture.client(.acknowledgment, 19, ack: 20, at: 22_030)
        #expect(try Self.verdict(capture) == .pass)
    }

    /// The kernel has no such socket: RST without ACK (RFC 9293, section 3.10.7.1).
    @Test func countsNoAnswerThatTheKernelRefuses() throws {
        var capture = Self.capture()
        capture.server(.data, 1, ack: 19, Array("HTTP/1.1 200 OK\r\n\r\n".utf8), at: 22_000)
        capture.client(.reset, 19, at: 22_021)
        #expect(try Self.verdict(capture) == .fail)
    }

    @Test func countsAnAnswerAfterWhichTheClientCloses() throws {
        var capture = Self.capture()
        capture.server(.data, 1, ack: 19, Array("HTTP/1.1 200 OK\r\n\r\n".utf8), at: 22_000)
        capture.client([.reset, .acknowledgment], 19, ack: 20, at: 22_021)
        #expect(try Self.verdict(capture) == .pass)
    }

    /// A client that only sends no more may still read: shutdown(2).
    @Test(arguments: [false, true])
    func countsAnAnswerAfterFINUnlessTheKernelRefusesIt(isRefused: Bool) throws {
        var capture = Self.capture()
        capture.client(.end, 19, ack: 1, at: 5000, .lost)
        capture.server(.data, 1, ack: 19, Array("HTTP/1.1 200 OK\r\n\r\n".utf8), at: 22_000)
        if isRefused { capture.client(.reset, 20, at: 22_021) }
        #expect(try Self.verdict(capture) == (isRefused ? .fail : .pass))
    }

    /// The client has read it and closed; its kernel refuses only what comes after that, such as the server's FIN.
    @Test func countsAnAnswerOfBeforeFINWhenTheKernelRefusesLaterPackets() throws {
        var capture = Self.capture()
        capture.server(.data, 1, ack: 19, Array("HTTP/1.1 200 OK\r\n\r\n".utf8), at: 22_000)
        capture.client(.end, 19, ack: 20, at: 22_030)
        capture.server(.end, 20, ack: 20, at: 24_000)
        capture.client(.reset, 20, at: 24_021)
        #expect(try Self.verdict(capture) == .pass)
    }
}
