// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import Testing

@testable import ClientTraffic
@testable import ClientVerdicts
@testable import TestPackets

/// Answers that come in part: whether they count as answers.
@Suite struct HalfAnswerTests {
    /// How the server's stream of a request ends. Times are in milliseconds after the connection's start.
    private enum End {
        case serverResets(Int)
        case serverFinishes(Int)
        case clientFinishes(Int)
        case none
    }

    private static let half = "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf of it"
    private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"
    private static let closing = "HTTP/1.1 200 OK\r\n\r\nall of it"
    private static let whole = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nall of it"

    /// Adds a connection with a request and what comes of its answer 60 ms later.
    private func exchange(
        _ capture: inout TestCapture,
        at begin: Int,
        _ answer: String,
        _ end: End,
        to request: String = "POST /order HTTP/1.1\r\nHost: a.test\r\nContent-Length: 1\r\n\r\n1"
    ) {
        let begin = 1_000_000 + begin
        let ack = 1 + UInt32(request.utf8.count)
        let last = 1 + UInt32(answer.utf8.count)
        capture.client(.syn, 0, at: begin)
        capture.server(.answer, 0, ack: 1, at: begin + 20)
        capture.client(.data, 1, ack: 1, Array(request.utf8), at: begin + 40)
        capture.server(.data, 1, ack: ack, Array(answer.utf8), at: begin + 60)
        switch end {
        case .serverResets(let time): capture.server([.reset, .acknowledgment], last, ack: ack, at: begin + time)
        case .serverFinishes(let time): capture.server(.end, last, ack: ack, at: begin + time)
        case .clientFinishes(let time): capture.client(.end, ack, ack: last, at: begin + time)
        case .none: break
        }
        capture.template.clientPort += 1
    }

    private func judge(_ text: String, _ capture: TestCapture) throws -> Judgement {
        var run = JudgedRun()
        run.traffic = capture.traffic
        run.record.end = JudgedRun.at(60_000)
        return try run.judge(text)
    }

    /// Two equal requests, of which the first has this answer.
    private func twice(_ answer: String, _ end: End) throws -> Judgement {
        var capture = TestCapture()
        exchange(&capture, at: 0, answer, end)
        exchange(&capture, at: 5000, Self.whole, .clientFinishes(100))
        return try judge("sends no request twice", capture)
    }

    @Test func failsARequestThatIsSentAgainAfterHalfAnAnswer() throws {
        for answer in [Self.half, Self.chunked, Self.closing] {
            let fail = try twice(answer, .serverResets(200))
            #expect(fail.verdict == .fail && fail.finding.hasSuffix("when half of an answer had come"), "\(fail)")
        }
        // Fewer bytes than its length says, and no last chunk.
        #expect(try twice(Self.half, .serverFinishes(200)).verdict == .fail)
        #expect(try twice(Self.chunked, .serverFinishes(200)).verdict == .fail)
        // The client waits for the rest in vain.
        #expect(try twice(Self.half, .clientFinishes(3000)).verdict == .fail)
    }

    @Test func tellsAnAnswerThatCameTooLateFromHalfOfOne() throws {
        var capture = TestCapture()
        exchange(&capture, at: 0, Self.whole, .clientFinishes(50))
        // The client's kernel refuses the answer: nobody reads the connection any more.
        capture.template.clientPort -= 1
        capture.client(.reset, 1 + 58 + 1, at: 1_000_081)
        capture.template.clientPort += 1
        exchange(&capture, at: 5000, Self.whole, .clientFinishes(100))
        let fail = try judge("sends no request twice", capture)
        #expect(
            fail.verdict == .fail && fail.finding.hasSuffix("after its connection had failed; an answer came later")
        )
    }

    @Test func passesAnAnswerThatIsWholeOrThatTheClientUsed() throws {
        for (answer, end) in [
            (Self.whole, End.serverResets(200)), (Self.closing, .serverFinishes(200)), (Self.whole, .none),
            // It reads no more than the head.
            (Self.half, .clientFinishes(110)), (Self.chunked, .clientFinishes(110)),
        ] {
            let pass = try twice(answer, end)
            #expect(pass.verdict == .pass, "\(answer) \(end): \(pass)")
        }
    }

    @Test func isInDoubtWhereTheClientMayHaveHadEnough() throws {
        for (answer, end) in [
            (Self.half, End.clientFinishes(600)), (Self.chunked, .clientFinishes(3000)), (Self.half, .none),
        ] {
            let doubt = try twice(answer, end)
            #expect(doubt.verdict == .inconclusive, "\(answer) \(end): \(doubt)")
        }
    }

    /// The end of the connection does not complete an answer of which bytes were lost before it.
    @Test func takesNoAnswerWithAGapForWhole() throws {
        var capture = TestCapture()
        exchange(&capture, at: 0, Self.closing, .none)
        capture.template.clientPort -= 1
        let next = 1 + UInt32(Self.closing.utf8.count)
        capture.server(.data, next, Array("more".utf8), at: 1_000_100, .lost)
        capture.server(.end, next + 4, at: 1_000_110)
        capture.server([.reset, .acknowledgment], next + 5, at: 1_000_200)
        #expect(capture.connection?.requests.first?.completed == nil)
        capture.server(.data, next, Array("more".utf8), at: 1_000_150)
        #expect(capture.connection?.requests.first?.completed != nil)
    }

    @Test func countsAttemptsAfterHalfAnswersAsRetries() throws {
        func verdict(_ waits: [Int], _ answer: String, _ end: End) throws -> Verdict {
            var capture = TestCapture()
            var begin = 0
            for wait in waits + [0] {
                exchange(&capture, at: begin, answer, end, to: "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n")
                begin += 220 + wait
            }
            return try judge("attempts back off", capture).verdict
        }
        let steady = Array(repeating: 300, count: 8)
        let growing = (0..<8).map { 50 << $0 }
        #expect(try verdict(steady, Self.half, .serverResets(200)) == .fail)
        #expect(try verdict(growing, Self.half, .serverResets(200)) == .pass)
        #expect(try verdict(steady, Self.chunked, .serverFinishes(200)) == .fail)
        // Each has what it wanted.
        for answer in [Self.whole, Self.closing] {
            #expect(try verdict(steady, answer, .serverFinishes(200)) == .inconclusive)
        }
        #expect(try verdict(steady, Self.half, .clientFinishes(110)) == .inconclusive)
    }
}
