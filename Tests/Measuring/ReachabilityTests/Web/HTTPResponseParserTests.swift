// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Probing

@Suite struct HTTPResponseParserTests {
    /// What a response holds, with its body as one text.
    private struct Response: Equatable {
        var status = 0
        var location: String?
        var body = ""
        var isWhole = false
    }

    private static func read(_ text: String, in size: Int, isClosed: Bool = false) throws -> Response {
        var parser = HTTPResponseParser()
        var response = Response()
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: size) {
            for part in try parser.parse(bytes[start..<min(start + size, bytes.count)]) {
                switch part {
                case .head(let status, let location): (response.status, response.location) = (status, location)
                case .body(let piece): response.body += String(decoding: piece, as: UTF8.self)
                case .end: response.isWhole = true
                }
            }
        }
        if isClosed { response.isWhole = parser.finish() }
        return response
    }

    @Test(
        arguments: [
            ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcd", 200, "abc"),
            ("HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", 200, ""),
            ("HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nabcde", 204, ""),
            ("HTTP/1.0 304 Not Modified\r\n\r\nabc", 304, ""),
            ("HTTP/1.1 200 OK\nContent-Length: 3, 3\n\nabc", 200, "abc"),
            ("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 404 No\r\ncontent-length:1\r\n\r\nx", 404, "x"),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\nA\r\n0123456789\r\n0\r\nT: u\r\n\r\n",
                200, "abc0123456789"
            ),
        ]
    )
    func readsAResponseInPiecesOfAnySize(_ text: String, _ status: Int, _ body: String) throws {
        for size in 1...text.utf8.count {
            let response = try Self.read(text, in: size)
            #expect(response == Response(status: status, body: body, isWhole: true), "in pieces of \(size)")
        }
    }

    @Test func readsUntilTheConnectionEnds() throws {
        let text = "HTTP/1.1 301 Moved\r\nlocation:  http://portal.test/ \r\n\r\nabc"
        #expect(
            try Self.read(text, in: 7, isClosed: true)
                == Response(status: 301, location: "http://portal.test/", body: "abc", isWhole: true)
        )
        #expect(try !Self.read(text, in: 7).isWhole)
        for cut in [
            "", "HTTP/1.1 200", "HTTP/1.1 200 OK\r\n\r", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabc",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n",
        ] {
            #expect(try !Self.read(cut, in: 5, isClosed: true).isWhole, "\(cut)")
        }
    }

    @Test(arguments: [
        "220 mail.test ESMTP", "\u{0}", "HTTP/2 200", "HTTP/1.1 20 OK\r\n", "HTTP/1.1 2000 OK\r\n", "HTTP/1.1  200\r\n",
        "HTTP/1.1 200 OK\r\nno colon\r\n", "HTTP/1.1 200 OK\r\n: x\r\n", "HTTP/1.1 200 OK\r\nA: b\r\n c\r\n",
        "HTTP/1.1 200 OK\r\nA : b\r\n", "HTTP/1.1 200 OK\r\nA: b\rc\r\n", "HTTP/1.1 200 OK\r\nA: \u{0}\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n", "HTTP/1.1 200 OK\r\nContent-Length: \r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-3\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n",
    ])
    func refusesWhatIsNoResponse(_ text: String) {
        for size in [1, 5, 1000] {
            #expect(throws: HTTPResponseParser.Malformation.self, "\(text)") { try Self.read(text, in: size) }
        }
    }

    @Test func isBounded() {
        func read(_ text: String) throws -> Response { try Self.read(text, in: 4096) }
        let long = String(repeating: "a", count: HTTPResponseParser.longestLine + 1)
        #expect(throws: HTTPResponseParser.Malformation.self) { try read("HTTP/1.1 200 \(long)") }
        let fields = String(repeating: "A: \(String(repeating: "b", count: 1000))\r\n", count: 70)
        #expect(throws: HTTPResponseParser.Malformation.self) { try read("HTTP/1.1 200 OK\r\n\(fields)") }
        let interim = String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 17)
        #expect(throws: HTTPResponseParser.Malformation.self) { try read(interim) }
        let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;\(long)"
        #expect(throws: HTTPResponseParser.Malformation.self) { try read(chunked) }
    }

    @Test func survivesEveryDamage() {
        let texts = [
            "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nLocation: /\r\n\r\nabc",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
        ]
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            var bytes = Array(texts.randomElement(using: &generator)?.utf8 ?? "".utf8)
            for _ in 0...3 { bytes[Int.random(in: 0..<bytes.count)] = UInt8.random(in: 0...255) }
            var parser = HTTPResponseParser()
            var count = 0
            for part in (try? parser.parse(bytes[...])) ?? [] {
                if case .body(let piece) = part { count += piece.count }
            }
            #expect(count <= bytes.count)
        }
    }
}
