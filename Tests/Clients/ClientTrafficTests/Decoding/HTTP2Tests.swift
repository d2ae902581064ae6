// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import DecryptedStreams
import TestKit
import Testing

@testable import ClientTraffic
@testable import TestPackets

/// Requests of HTTP/2 in the clear and in TLS.
@Suite struct HTTP2Tests {
    private static func body(_ text: String) -> ObservedRequest.Body {
        var body = ObservedRequest.Body()
        body.add(Array(text.utf8)[...])
        return body
    }

    @Test(arguments: [1, 7, 1400])
    func readsRequestsByPriorKnowledge(segment: Int) throws {
        var talk = HTTP2Talk(hasPreface: false)
        talk.segment = segment
        talk.send(HTTP2Frames.preface + HTTP2Speaker.settings)
        talk.answer(HTTP2Speaker.settings)
        talk.send(talk.client.request(1))
        let key = [("idempotency-key", "k1"), ("content-type", "text/plain")]
        talk.send(talk.client.request(3, "POST", "/b", more: key, ends: false))
        talk.send(HTTP2Speaker.data(3, "ab", ends: false) + HTTP2Speaker.data(3, "c"))
        // Answers come in any order.
        talk.answer(talk.server.headers(3, [(":status", "103")], ends: false))
        talk.answer(talk.server.answer(3, 201) + talk.server.answer(1, ends: false) + HTTP2Speaker.data(1, "x"))
        let connection = try talk.connection
        #expect(
            connection.requests.map(\.method) == ["GET", "POST"] && connection.requests.map(\.target) == ["/a", "/b"]
        )
        #expect(connection.requests.map(\.host) == ["api.test:443", "api.test:443"])
        #expect(connection.requests.map(\.status) == [200, 201])
        #expect(connection.requests.map(\.idempotencyKey) == [nil, "k1"])
        #expect(connection.requests.map(\.contentType) == [nil, "text/plain"])
        #expect(connection.requests.map(\.body) == [.init(), Self.body("abc")])
        #expect(connection.requests.allSatisfy { $0.answer != nil && $0.completed != nil })
        #expect(connection.names == ["api.test"] && connection.hiddenRequests == nil)
    }

    /// A server need not wait for the client.
    @Test func readsWhereTheServerSpeaksFirst() throws {
        var talk = HTTP2Talk(hasPreface: false)
        talk.answer(HTTP2Speaker.settings)
        talk.send(HTTP2Frames.preface + HTTP2Speaker.settings + talk.client.request(1))
        #expect(try talk.connection.requests.count == 1)
        var other = HTTP2Talk(hasPreface: false)
        other.answer(HTTP2Speaker.settings)
        other.send(Array("HELO a\r\n".utf8))
        #expect(try #require(try other.connection.hiddenRequests).contains("could be read"))
    }

    @Test func goesOnAfterAnUpgrade() throws {
        var talk = HTTP2Talk(hasPreface: false)
        let fields =
            "Host: api.test\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n"
        talk.send(Array("GET /up HTTP/1.1\r\n\(fields)".utf8))
        let switching = Array("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n".utf8)
        talk.answer(switching + HTTP2Speaker.settings + talk.server.answer(1, 204))
        talk.send(HTTP2Frames.preface + HTTP2Speaker.settings + talk.client.request(3))
        let connection = try talk.connection
        #expect(connection.requests.map(\.target) == ["/up", "/a"] && connection.requests.map(\.status) == [204, nil])
        #expect(connection.hiddenRequests == nil)
    }

    @Test(arguments: [["http/1.1"], ["h2", "http/1.1"], []])
    func readsInTLS(protocols: [String]) throws {
        let session = try TLSSession(.init(protocols: protocols), in: TestCapture(decoders: CaptureDecoders()))
        try session.connect()
        let (client, server) = (HTTP2Speaker(), HTTP2Speaker())
        if protocols.first == "http/1.1" {
            session.send("GET /a HTTP/1.1\r\n\r\n", from: .client)
            session.send("HTTP/1.1 204 No\r\n\r\n", from: .server)
        } else {
            // A server may send first, in TLS, too.
            session.send(HTTP2Speaker.settings, from: .server)
            session.send(HTTP2Frames.preface + HTTP2Speaker.settings + client.request(1), from: .client)
            session.send(server.answer(1, 204), from: .server)
        }
        let connection = try #require(session.capture.connection)
        #expect(connection.requests.map(\.target) == ["/a"] && connection.requests.map(\.status) == [204])
        #expect(connection.hiddenRequests == nil)
    }

    @Test func tellsMethodsOfGRPC() throws {
        var talk = HTTP2Talk()
        let call = [("content-type", "application/grpc"), ("te", "trailers")]
        talk.send(talk.client.request(1, "POST", "/pkg.Service/Call", more: call, ends: false))
        talk.send(HTTP2Speaker.data(1, "\0\0\0\0\u{1}x"))
        talk.answer(talk.server.answer(1, ends: false) + HTTP2Speaker.data(1, "\0\0\0\0\u{1}y", ends: false))
        talk.answer(talk.server.headers(1, [("grpc-status", "0"), ("grpc-message", "")]))
        talk.send(talk.client.request(3, "POST", "/pkg.Service/Call", more: call))
        talk.answer(
            talk.server.headers(3, [(":status", "200"), ("content-type", "application/grpc"), ("grpc-status", "14")])
        )
        let requests = try talk.connection.requests
        #expect(requests.map(\.target) == ["/pkg.Service/Call", "/pkg.Service/Call"])
        #expect(requests.map(\.contentType) == ["application/grpc", "application/grpc"])
        #expect(requests.map(\.grpcStatus) == [0, 14] && requests.allSatisfy { $0.completed != nil })
    }

    @Test func readsPaddingPrioritiesAndContinuations() throws {
        var talk = HTTP2Talk()
        talk.segment = 5
        let fields = [(":method", "PUT"), (":scheme", "http"), (":path", "/c"), (":authority", "a.test")]
        let block = talk.client.block(fields)
        let priority: [UInt8] = [0, 0, 0, 0, 15]
        talk.send(HTTP2Speaker.frame(1, 0x28, 1, [3] + priority + block.prefix(4) + [0, 0, 0]))
        talk.send(HTTP2Speaker.frame(9, 0, 1, Array(block.dropFirst(4).prefix(2))) + HTTP2Speaker.frame(9, 0, 1))
        talk.send(HTTP2Speaker.frame(9, 4, 1, Array(block.dropFirst(6))))
        talk.send(
            HTTP2Speaker.frame(0, 8, 1, [2] + Array("ab".utf8) + [0, 0]) + HTTP2Speaker.frame(0x77, 0, 0, [1, 2])
        )
        talk.send(HTTP2Speaker.frame(0, 9, 1, [0]) + talk.client.request(3))
        // The server's dynamic table goes on after a promise.
        talk.answer(HTTP2Speaker.frame(5, 4, 1, HTTP2Speaker.long(2) + talk.server.block([("x-promised", "p")])))
        talk.answer(talk.server.headers(1, [(":status", "200"), ("x-promised", "p")]))
        let connection = try talk.connection
        #expect(connection.requests.map(\.target) == ["/c", "/a"] && connection.requests.map(\.status) == [200, nil])
        #expect(connection.requests.first?.body == Self.body("ab") && connection.hiddenRequests == nil)
    }

    /// Bodies need not be whole in the capture; heads do.
    @Test func passesOverBodiesThatWereNotKept() throws {
        var talk = HTTP2Talk()
        talk.send(talk.client.request(1, "POST", "/a", ends: false))
        talk.capture.snap = 60
        talk.send(HTTP2Speaker.data(1, String(repeating: "x", count: 900)))
        talk.capture.snap = .max
        talk.send(talk.client.request(3))
        #expect(try talk.connection.requests.map(\.target) == ["/a", "/a"] && talk.connection.hiddenRequests == nil)
        #expect(try talk.connection.requests.first?.body == nil)
        talk.capture.snap = 45
        talk.send(talk.client.request(5, "GET", "/long/path/that/is/new"))
        #expect(try talk.connection.requests.count == 2 && talk.connection.hiddenRequests != nil)
    }

    @Test func tellsATunnelFromAnotherProtocolOnAStream() throws {
        var talk = HTTP2Talk()
        talk.send(talk.client.request(1, "CONNECT", "/chat", more: [(":protocol", "websocket")], ends: false))
        talk.answer(talk.server.answer(1, ends: false))
        #expect(try talk.connection.hiddenRequests == nil)
        talk.send(talk.client.headers(3, [(":method", "CONNECT"), (":authority", "b.test:443")], ends: false))
        talk.answer(talk.server.answer(3, ends: false))
        #expect(try #require(try talk.connection.hiddenRequests).contains("tunnel"))
        #expect(try talk.connection.requests.last?.target == "b.test:443")
    }

    /// A block of a few bytes may stand for megabytes; one may never end.
    @Test func isNotOverwhelmed() throws {
        var bomb = HTTP2Talk()
        bomb.send(bomb.client.request(1, more: [("x-bomb", String(repeating: "b", count: 3500))]))
        // The newest entry of the dynamic table, again and again.
        bomb.send(HTTP2Speaker.frame(1, 5, 3, [0x82, 0x87, 0x84] + [UInt8](repeating: 0xBE, count: 16_000)))
        bomb.send(bomb.client.request(5, "GET", "/after"))
        #expect(try bomb.connection.requests.last?.target == "/after")

        var endless = HTTP2Talk()
        endless.send(HTTP2Speaker.frame(1, 0, 1, [0x82]))
        for _ in 0..<40 { endless.send(HTTP2Speaker.frame(9, 0, 1, [UInt8](repeating: 0x82, count: 16_000))) }
        #expect(try endless.connection.hiddenRequests != nil && endless.connection.requests.isEmpty)

        var giant = HTTP2Talk()
        giant.send(giant.client.request(1, "GET", "/" + String(repeating: "a", count: 30_000)))
        #expect(try giant.connection.hiddenRequests != nil)
    }

    @Test func readsNoneWithoutDecoders() throws {
        var talk = HTTP2Talk(hasPreface: false)
        talk.capture = TestCapture()
        talk.send(HTTP2Frames.preface + HTTP2Speaker.settings + talk.client.request(1))
        #expect(try talk.connection.requests.isEmpty && talk.connection.hiddenRequests != nil)
    }

    @Test(arguments: [6, 7] as [UInt64])
    func readsAnyBytes(seed: UInt64) throws {
        let speaker = HTTP2Speaker()
        let sound = [
            HTTP2Frames.preface + HTTP2Speaker.settings + speaker.request(1), speaker.request(3, "POST", ends: false),
            HTTP2Speaker.data(3, "abc"), HTTP2Speaker.reset(3, 8), HTTP2Speaker.goAway(1),
            HTTP2Speaker.frame(1, 0x2C, 5, [1, 0, 0, 0, 0, 1, 0x82, 0]), HTTP2Speaker.frame(9, 4, 5, [0x84]),
            HTTP2Speaker.frame(5, 4, 1, [0, 0, 0, 2, 0x82]), speaker.answer(1), HTTP2Speaker.frame(0, 8, 3, [9, 1]),
        ]
        var inputs = FuzzedInputs(sound, seed: seed)
        var generator = SeededGenerator(seed: seed)
        var seen = 0
        for _ in 0..<FuzzedInputs.count / 50 {
            var talk = HTTP2Talk(hasPreface: generator.isOne(in: 2))
            talk.segment = generator.pick([1400, 1400, 100])
            if generator.isOne(in: 4) { talk.capture.snap = Int.random(in: 40...120, using: &generator) }
            for _ in 0..<8 {
                if generator.isOne(in: 2) { talk.send(inputs.next()) } else { talk.answer(inputs.next()) }
            }
            seen += talk.capture.traffic.connections.reduce(0) { $0 + $1.requests.count }
        }
        #expect(seen > 0)
    }
}
