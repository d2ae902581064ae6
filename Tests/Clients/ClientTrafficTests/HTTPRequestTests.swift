// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import Testing

@testable import ClientTraffic
@testable import TestPackets

/// HTTP/1 in the clear.
@Suite struct HTTPRequestTests {
    /// A connection that has been accepted.
    private func opened() -> TestCapture {
        var capture = TestCapture()
        capture.client(.syn, 0, at: 0)
        capture.server(.answer, 0, ack: 1, at: 20)
        return capture
    }

    private func requests(_ capture: TestCapture) throws -> [ObservedRequest] {
        try #require(capture.connection).requests
    }

    @Test func readsARequestAndItsAnswer() throws {
        var capture = opened()
        let text = "POST /a?b=c HTTP/1.1\r\nhost:  search.test\r\nIdempotency-Key: \"k1\"\r\n\r\n"
        capture.client(.data, 1, ack: 1, Array(text.utf8), at: 41)
        capture.server(.data, 1, ack: 90, Array("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n".utf8), at: 70)
        let request = try #require(try requests(capture).first)
        #expect(request.method == "POST" && request.target == "/a?b=c" && request.host == "search.test")
        #expect(request.idempotencyKey == "\"k1\"" && request.isSafeToRepeat)
        #expect(request.packet.number == 3 && request.status == 503 && request.answer?.number == 4)
        #expect(request.answer?.deliveredAt == 90)
    }

    /// However it is cut into chunks, and whatever is sent after it.
    @Test func tellsBodiesApart() throws {
        func body(_ text: String, kept: Int = .max) throws -> ObservedRequest.Body? {
            var capture = opened()
            capture.snap = kept
            capture.client(.data, 1, ack: 1, Array("POST /graphql HTTP/1.1\r\n\(text)".utf8), at: 41)
            return try #require(try requests(capture).first).body
        }
        let whole = try #require(try body("Content-Length: 9\r\n\r\n{\"a\": 12}"))
        #expect(try body("Content-Length: 9\r\n\r\n{\"a\": 12}GET / HTTP/1.1\r\n\r\n") == whole)
        #expect(try body("Transfer-Encoding: chunked\r\n\r\n2\r\n{\"\r\n7\r\na\": 12}\r\n0\r\n\r\n") == whole)
        #expect(try body("Content-Length: 9\r\n\r\n{\"a\": 13}") != whole)
        #expect(try body("\r\n") == ObservedRequest.Body() && whole != ObservedRequest.Body())
        // Not all of it was sent, and not all of it was kept.
        #expect(try body("Content-Length: 10\r\n\r\n{\"a\": 12}") == nil)
        #expect(try body("Content-Length: 9\r\n\r\n{\"a\": 12}", kept: 90) == nil)
    }

    /// Bodies hold what looks like requests.
    private static let stream =
        "GET /1 HTTP/1.1\r\nHost: a\r\n\r\n"
        + "POST /2 HTTP/1.1\r\nContent-Length: 19\r\n\r\nGET /x HTTP/1.1\r\n\r\n"
        + "PUT /3 HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
        + "13;a=b\r\nGET /y HTTP/1.1\r\n\r\n\r\n1\r\nz\r\n0\r\nTrailer: t\r\n\r\n" + "HEAD /4 HTTP/1.1\r\n\r\n"
        + "DELETE /5 HTTP/1.1\r\n\r\n"
    private static let answers =
        "HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\nHTTP/1.1 404 No"
        + "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Made\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"
        + "HTTP/1.1 204 Nothing\r\n\r\n" + "HTTP/1.1 304 Old\r\nContent-Length: 999\r\n\r\n"
        + "HTTP/1.0 500 Broken\r\n\r\nuntil the end\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"

    /// However the streams are cut into segments, lost, sent again and reordered.
    @Test(arguments: [1, 2, 3, 7, 40, 100, 1000], [false, true])
    func findsEachRequestOfAConnection(size: Int, isLossy: Bool) throws {
        var capture = opened()
        var time = 41
        func send(_ text: String, _ add: (inout TestCapture, UInt32, [UInt8], TestCapture.Link) -> Void) {
            let bytes = Array(text.utf8)
            var late: [(UInt32, [UInt8])] = []
            for begin in stride(from: 0, to: bytes.count, by: size) {
                let part = Array(bytes[begin..<min(begin + size, bytes.count)])
                let isLost = isLossy && begin / size % 5 == 1
                add(&capture, UInt32(begin + 1), part, isLost ? .lost : .after(20))
                if isLost { late.append((UInt32(begin + 1), Array(bytes[begin..<min(begin + 2 * size, bytes.count)]))) }
                time += 1
                if begin / size % 5 == 3 {
                    for (sequence, again) in late { add(&capture, sequence, again, .after(20)) }
                    late = []
                }
            }
            for (sequence, again) in late { add(&capture, sequence, again, .after(20)) }
        }
        send(Self.stream) { $0.client(.data, $1, ack: 1, $2, at: time, $3) }
        send(Self.answers) { $0.server(.data, $1, ack: 1, $2, at: time, $3) }
        let found = try requests(capture)
        #expect(found.map(\.method) == ["GET", "POST", "PUT", "HEAD", "DELETE"])
        #expect(found.map(\.target) == ["/1", "/2", "/3", "/4", "/5"])
        #expect(found.map(\.status) == [200, 201, 204, 304, 500])
        #expect(found.allSatisfy { $0.answer?.delivered != nil })
        #expect(found.map { $0.completed != nil } == [true, true, true, true, false])
    }

    /// A part of an answer is not all of it, and a body without a length ends with the connection alone.
    @Test func tellsWhenAnAnswerWasComplete() throws {
        var capture = opened()
        let ask = Array("GET / HTTP/1.0\r\n\r\n".utf8)
        capture.client(.data, 1, ack: 1, ask, at: 41)
        let head = Array("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n".utf8)
        capture.server(.data, 1, ack: 19, head + Array("1234".utf8), at: 70)
        #expect(try requests(capture).map { $0.completed?.deliveredAt } == [nil])
        let rest = UInt32(1 + head.count + 4)
        capture.server(.data, rest, ack: 19, Array("5678".utf8), at: 200)
        #expect(try requests(capture).map { $0.completed?.deliveredAt } == [220])
        capture.client(.data, UInt32(1 + ask.count), ack: 1, ask, at: 230)
        let endless = Array("HTTP/1.0 200 OK\r\n\r\nwords".utf8)
        capture.server(.data, rest + 4, ack: 19, endless, at: 250)
        #expect(try requests(capture).map { $0.completed?.deliveredAt } == [220, nil])
        capture.server(.end, rest + 4 + UInt32(endless.count), ack: 19, at: 400)
        #expect(try requests(capture).map { $0.completed?.deliveredAt } == [220, 420])
    }

    @Test func countsARequestThatIsLost() throws {
        var capture = opened()
        let text = Array("GET / HTTP/1.1\r\n\r\n".utf8)
        capture.client(.data, 1, ack: 1, text, at: 41, .lost)
        #expect(try requests(capture).map(\.packet.number) == [3])
        capture.client(.data, 1, ack: 1, text, at: 300)
        let answer = Array("HTTP/1.1 200 OK\r\n\r\n".utf8)
        capture.server(.data, 1, ack: 19, answer, at: 330, .lost)
        #expect(try requests(capture).map(\.status) == [nil])
        capture.server(.data, 1, ack: 19, answer, at: 600)
        let request = try #require(try requests(capture).first)
        #expect(request.packet.number == 3 && request.status == 200 && request.answer?.number == 6)
    }

    @Test func readsTheBeginOfACutPacket() throws {
        var capture = opened()
        capture.snap = 75
        let text = Array("GET /a HTTP/1.1\r\nHost: search.test\r\nAccept: text/html\r\n\r\n".utf8)
        capture.client(.data, 1, ack: 1, text, at: 41)
        capture.client(.data, UInt32(1 + text.count), ack: 1, text, at: 60)
        let found = try requests(capture)
        #expect(found.map(\.target) == ["/a"] && found[0].host == nil)
    }

    /// Only the heads of answers need to be whole.
    @Test func passesOverBodiesThatWereNotKept() throws {
        var capture = opened()
        capture.snap = 90
        for (index, path) in ["/1", "/2"].enumerated() {
            let text = Array("GET \(path) HTTP/1.1\r\n\r\n".utf8)
            capture.client(.data, UInt32(1 + index * text.count), ack: 1, text, at: 100 * index + 100)
            let head = Array("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n".utf8)
            let begin = UInt32(1 + index * (head.count + 5000))
            capture.server(.data, begin, ack: 20, head, at: 150 + 100 * index)
            let body = [UInt8](repeating: 65, count: 2500)
            for part in [1, 0] {
                let sequence = begin + UInt32(head.count + 2500 * part)
                capture.server(.data, sequence, ack: 20, body, at: 160 + 100 * index)
            }
        }
        #expect(try requests(capture).map(\.status) == [200, 200])
        // With the second half, which comes first, delivered before.
        #expect(try requests(capture).map { $0.completed?.deliveredAt } == [180, 280])
    }

    @Test(arguments: [
        "GET /\r\n\r\n", "get / HTTP/1.1\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "SSH-2.0-x\r\n",
        "GET  HTTP/1.1\r\n\r\n",
    ])
    func takesNothingElseForARequest(text: String) throws {
        var capture = opened()
        capture.client(.data, 1, ack: 1, Array(text.utf8), at: 41)
        #expect(try requests(capture).isEmpty)
    }

    @Test func readsNothingAfterAnotherProtocolBegins() throws {
        var capture = opened()
        let text = Array("CONNECT a:443 HTTP/1.1\r\n\r\n".utf8)
        capture.client(.data, 1, ack: 1, text, at: 41)
        capture.server(.data, 1, ack: 90, Array("HTTP/1.1 200 OK\r\n\r\n".utf8), at: 70)
        capture.client(.data, UInt32(1 + text.count), ack: 20, Array("GET / HTTP/1.1\r\n\r\n".utf8), at: 100)
        #expect(try requests(capture).map(\.status) == [200])
    }

    @Test func pairsNoAnswerThatNobodyAskedFor() throws {
        var capture = opened()
        let text = Array("GET / HTTP/1.1\r\n\r\n".utf8)
        capture.client(.data, 1, ack: 1, text, at: 41)
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
        let timeout = "HTTP/1.1 408 Late\r\nContent-Length: 0\r\n\r\n"
        capture.server(.data, 1, ack: 19, Array((answer + timeout).utf8), at: 70)
        capture.client(.data, 19, ack: 1, text, at: 5000)
        #expect(try requests(capture).map(\.status) == [200, nil])
    }
}
