// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

@testable import SocketServing

@Suite struct HTTPRequestParserTests {
    /// The requests in a text, in pieces of a length; nil if it is refused.
    private static func requests(
        in text: String,
        piece: Int = .max,
        longestBody: Int = 1000
    ) -> [HTTPRequest]? {
        var parser = HTTPRequestParser(longestBody: longestBody)
        var requests: [HTTPRequest] = []
        var rest = Array(text.utf8)[...]
        do throws(HTTPRequestParser.Malformation) {
            while !rest.isEmpty {
                var part = rest.prefix(piece)
                rest = rest.dropFirst(piece)
                while let request = try parser.next(&part) { requests.append(request) }
            }
            return requests
        } catch {
            return nil
        }
    }

    private static func request(
        _ method: String,
        _ target: String,
        _ fields: [(String, String)] = [],
        body: String = "",
        version: Int = 1
    ) -> HTTPRequest {
        HTTPRequest(
            method: method,
            target: target,
            minorVersion: version,
            fields: fields.map { HTTPRequest.Field(name: $0.0, value: $0.1) },
            body: Array(body.utf8)
        )
    }

    @Test(arguments: [1, 2, 3, 7, 1000])
    func readsRequestsOneAfterTheOther(piece: Int) {
        let text =
            "GET /v1/status?a=b HTTP/1.1\r\nHost: linkcond\r\nX-Empty:\r\nX-Spaces: \t a b \t\r\n\r\n"
            + "PUT /v1/conditions HTTP/1.1\r\nContent-Length: 8\r\n\r\nSlow Net\r\n"
            + "PUT /x HTTP/1.1\r\nTransfer-Encoding: Chunked\r\n\r\n4\r\nSlow\r\n4;a=\"b\"\r\n Net\r\n00\r\nX: y\r\n\r\n"
            + "M-SEARCH * HTTP/1.0\r\n\r\nPOST http://a.test/b HTTP/1.1\r\ncontent-LENGTH: 0\r\n\r\n"
        let status = [("host", "linkcond"), ("x-empty", ""), ("x-spaces", "a b")]
        #expect(
            Self.requests(in: text, piece: piece) == [
                Self.request("GET", "/v1/status?a=b", status),
                Self.request("PUT", "/v1/conditions", [("content-length", "8")], body: "Slow Net"),
                Self.request("PUT", "/x", [("transfer-encoding", "Chunked")], body: "Slow Net"),
                Self.request("M-SEARCH", "*", version: 0),
                Self.request("POST", "http://a.test/b", [("content-length", "0")]),
            ]
        )
    }

    @Test func leavesWhatFollowsARequest() throws {
        var parser = HTTPRequestParser(longestBody: 10)
        var bytes = Array("GET / HTTP/1.1\r\n\r\nGET /b HT".utf8)[...]
        #expect(try parser.next(&bytes)?.target == "/")
        #expect(bytes.elementsEqual("GET /b HT".utf8))
        #expect(try parser.next(&bytes) == nil)
        #expect(bytes.isEmpty)
    }

    /// What two readers could understand differently, and what is no HTTP.
    @Test(arguments: [
        // The body's length.
        "POST / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 3, 3\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length: +3\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: -3\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length: 0x3\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 3 \u{660}\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length:\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked, identity\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: xchunked\r\n\r\n", "POST / HTTP/1.1\r\nTransfer-Encoding:\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n",
        "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
        // Lines.
        "GET / HTTP/1.1\nHost: a\n\n", "GET / HTTP/1.1\r\nHost: a\n\r\n", "GET / HTTP/1.1\r\nA: b\rC: d\r\n\r\n",
        "GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n", "GET / HTTP/1.1\r\n A: b\r\n\r\n", "GET / HTTP/1.1\r\nA : b\r\n\r\n",
        "GET / HTTP/1.1\r\nA\r\n\r\n", "GET / HTTP/1.1\r\n: b\r\n\r\n", "GET / HTTP/1.1\r\nA: b\u{0}\r\n\r\n",
        "GET / HTTP/1.1\r\nA: \u{7F}\r\n\r\n", "GET / HTTP/1.1\r\nA\u{E9}: b\r\n\r\n",
        "GET / HTTP/1.1\r\nA[]: b\r\n\r\n",
        // The first line.
        "GET /\r\n\r\n", "GET  / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1 \r\n\r\n", " GET / HTTP/1.1\r\n\r\n",
        "GET /a b HTTP/1.1\r\n\r\n", "GET\t/ HTTP/1.1\r\n\r\n", "get / HTTP/1.1\r\n\r\n", "G(T / HTTP/1.1\r\n\r\n",
        "GET a HTTP/1.1\r\n\r\n", "GET ** HTTP/1.1\r\n\r\n", "GET /\u{E9} HTTP/1.1\r\n\r\n",
        "GET ://a HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.2\r\n\r\n", "GET / HTTP/2.0\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET / http/1.1\r\n\r\n",
        "GET / HTTP/1.11\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "\u{16}\u{3}\u{1}\u{2}\r\n", "\u{16}\u{3}", "\u{0}",
    ])
    func refuses(_ text: String) {
        for piece in [1, .max] { #expect(Self.requests(in: text, piece: piece) == nil, "\(text)") }
    }

    @Test(arguments: [
        "-1\r\n", "+1\r\n", "\r\n", "0x1\r\n", " 1\r\n", "1 \r\n", "1\na\r\n", "1\r\nab\r\n", "1;\u{0}\r\n",
        "ffffffffffffffff\r\n", "0\r\nno field\r\n", "0\r\nA: b\n\r\n",
    ])
    func refusesChunks(_ text: String) {
        let head = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
        for piece in [1, .max] { #expect(Self.requests(in: head + text, piece: piece) == nil, "\(text)") }
    }

    @Test func readsHeadsUpToALimit() {
        let start = "GET / HTTP/1.1\r\nA: "
        let filling = String(repeating: "b", count: HTTPRequestParser.longestHead - start.utf8.count - 4 + 2)
        for piece in [1000, Int.max] {
            #expect(Self.requests(in: "\(start)\(filling.dropLast(2))\r\n\r\n", piece: piece)?.count == 1)
            #expect(Self.requests(in: "\(start)\(filling)\r\n\r\n", piece: piece) == nil)
            // One that never ends.
            #expect(Self.requests(in: String(repeating: "x", count: 20_000), piece: piece) == nil)
            #expect(Self.requests(in: String(repeating: "\r\n", count: 20_000), piece: piece) == nil)
        }
        let fields = { (count: Int) in "GET / HTTP/1.1\r\n\(String(repeating: "A: b\r\n", count: count))\r\n" }
        #expect(Self.requests(in: fields(256))?.first?.fields.count == 256)
        #expect(Self.requests(in: fields(257)) == nil)
    }

    @Test func readsChunksUpToALimitOfWhatIsNoBody() {
        let start = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
        let long = String(repeating: "a", count: 20_000)
        #expect(Self.requests(in: "\(start)1;\(long)\r\n", piece: 999) == nil)
        #expect(Self.requests(in: "\(start)0\r\nA: \(long)\r\n\r\n", piece: 999) == nil)
        #expect(Self.requests(in: "\(start)0\r\n\(String(repeating: "A: b\r\n", count: 4000))\r\n", piece: 999) == nil)
        // Many chunks are no long head.
        let chunks = String(repeating: "1\r\na\r\n", count: 10_000)
        #expect(Self.requests(in: "\(start)\(chunks)0\r\n\r\n", longestBody: 10_000)?.first?.body?.count == 10_000)
    }

    @Test func readsABodyThatIsTooLongAndKeepsNone() {
        let next = "GET / HTTP/1.1\r\n\r\n"
        for (length, isKept) in [(1000, true), (1001, false), (100_000, false)] {
            let body = String(repeating: "b", count: length)
            let texts = [
                "PUT / HTTP/1.1\r\nContent-Length: \(length)\r\n\r\n\(body)\(next)",
                "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nb\r\n"
                    + "\(String(length - 1, radix: 16))\r\n\(body.dropFirst())\r\n0\r\n\r\n\(next)",
            ]
            for text in texts {
                let requests = Self.requests(in: text, piece: 77)
                #expect(requests?.map { $0.body?.count } == [isKept ? length : nil, 0])
            }
        }
    }

    @Test(
        arguments: [
            (1, [], true), (0, [], false), (1, ["close"], false), (0, ["keep-alive"], true), (0, ["Keep-Alive"], true),
            (1, ["foo, CLOSE"], false), (1, ["foo", "close"], false), (0, ["keep-alive", "close"], false),
            (1, ["closed"], true), (1, ["upgrade"], true),
        ] as [(Int, [String], Bool)]
    )
    func knowsWhetherAnotherMayFollow(version: Int, options: [String], isKept: Bool) {
        let request = Self.request("GET", "/", options.map { ("connection", $0) }, version: version)
        #expect(request.isKeptAlive == isKept)
    }

    @Test(arguments: [("/a", "/a"), ("/a?b", "/a"), ("/a?b?c", "/a"), ("?b", ""), ("*", "*")])
    func knowsThePath(target: String, path: String) {
        #expect(Self.request("GET", target).path == path)
    }

    // MARK: Anything

    private static let sound = [
        "GET /v1/status HTTP/1.1\r\nHost: linkcond\r\n\r\n",
        "PUT /v1/conditions HTTP/1.1\r\nContent-Length: 8\r\n\r\nSlow NetGET / HTTP/1.1\r\n\r\n",
        "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nSlow\r\n4;x\r\n Net\r\n0\r\nA: b\r\n\r\n",
        "POST /x?y=%00 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n\r\nGET / HTTP/1.1\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n10\r\n0123456789abcdef\r\n0\r\n\r\n",
    ].map { Array($0.utf8) }

    @Test(arguments: [1, 2] as [UInt64])
    func readsTheSameHoweverTheBytesAreCut(seed: UInt64) {
        var inputs = FuzzedInputs(Self.sound, seed: seed)
        var count = 0
        for _ in 0..<FuzzedInputs.count {
            let bytes = inputs.next()
            var (whole, cut) = (Reading(), Reading())
            whole.read(bytes[...])
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = inputs.piece(of: rest)
                rest = rest.dropFirst(piece.count)
                cut.read(piece)
            }
            let size = whole.requests.reduce(0) { $0 + ($1.body?.count ?? 0) + $1.target.utf8.count }
            if whole.requests != cut.requests || whole.isMalformed != cut.isMalformed || size > bytes.count {
                Issue.record("\(bytes): \(whole), in pieces \(cut)")
            }
            // Nothing that hides in a request is one for another reader.
            for request in whole.requests where request.values(of: "content-length").count > 1 {
                Issue.record("\(bytes) has two lengths")
            }
            count += whole.requests.count
        }
        #expect(count > FuzzedInputs.count / 10)
    }

    /// What was read.
    private struct Reading {
        var requests: [HTTPRequest] = []
        var isMalformed = false
        var parser = HTTPRequestParser(longestBody: 100)

        mutating func read(_ bytes: ArraySlice<UInt8>) {
            guard !isMalformed else { return }
            var bytes = bytes
            do throws(HTTPRequestParser.Malformation) {
                while let request = try parser.next(&bytes) { requests.append(request) }
            } catch {
                isMalformed = true
            }
        }
    }
}
