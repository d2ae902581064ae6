// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import DecryptedStreams

@testable import ClientTraffic
@testable import LinuxSystem
@testable import Probing

extension FuzzTarget {
    /// HTTP/1: what a probe reads, what an observed client and its server say, and the control socket's answers.
    static let http = FuzzTarget(
        "http",
        texts: [
            "GET /a HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nok", "HTTP/1.1 204 No Content\r\n\r\n",
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n10;a=b\r\n0123456789abcdef\r\n0\r\nX: y\r\n\r\n",
            "GET /f HTTP/1.1\r\nHost: a\r\nRange: bytes=5-\r\n\r\nHTTP/1.1 206 Part\r\nContent-Range: bytes 5-8/9\r\n"
                + "Content-Length: 4\r\n\r\nok",
            "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 2, 2\r\n\r\nok",
        ]
    ) { bytes in
        _ = HTTPAnswer(bytes)
        let whole = HTTPReading(of: [bytes[...]])
        let pieced = HTTPReading(of: pieces(of: bytes))
        // Of malformed bytes, more may have been read before that was seen.
        require(whole.isMalformed ? pieced.isMalformed : pieced == whole, "\(whole), and in pieces \(pieced)")
        converse(bytes) { HTTPConversation(CaptureDecoders()) }
    }

    static let http2 = FuzzTarget(
        "http2",
        seeds: [
            HTTP2Frames.preface + settings + [0, 0, 3, 1, 5, 0, 0, 0, 1, 0x82, 0x86, 0x84],
            settings + [0, 0, 1, 1, 4, 0, 0, 0, 1, 0x88] + [0, 0, 2, 0, 1, 0, 0, 0, 1, 111, 107],
            HTTP2Frames.preface + [0, 0, 5, 1, 13, 0, 0, 0, 1, 1, 0x82, 0x86, 0x84, 0] + [
                0, 0, 4, 3, 0, 0, 0, 0, 1, 0, 0, 0, 8,
            ],
            [0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0],
        ]
    ) { bytes in converse(bytes) { HTTPConversation(http2: CaptureDecoders()) } }

    private static let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]

    static let tls = FuzzTarget("tls", seeds: [record(clientHello), record(serverHello), record([20, 0, 0, 1, 7])]) {
        bytes in
        _ = (TLSHello.client(bytes), TLSHello.server(bytes), TLSHello.serverName(bytes), TLSHello.version(bytes))
        _ = TLSHello.encryptedExtensions(bytes[...])
        var (one, other) = (TLSRecords(keepsContent: true), TLSRecords(keepsContent: true))
        let whole = one.read(piece(bytes[...]))
        let pieced = pieces(of: bytes).flatMap { other.read(piece($0)) }
        require(pieced.map(\.content) == whole.map(\.content), "\(whole), and in pieces \(pieced)")
        converse(bytes) { TLSConversation(CaptureDecoders()) }
        let decoders = CaptureDecoders()
        decoders.add(tlsKeys: bytes)
    }

    private static func record(_ message: [UInt8]) -> [UInt8] { [22, 3, 1, 0, UInt8(message.count)] + message }

    private static let clientHello: [UInt8] =
        [1, 0, 0, 55, 3, 3] + [UInt8](repeating: 7, count: 32)
        + [0, 0, 2, 0x13, 1, 1, 0, 0, 12, 0, 0, 0, 8, 0, 6, 0, 0, 3, 97, 46, 98]
    private static let serverHello: [UInt8] =
        [2, 0, 0, 46, 3, 3] + [UInt8](repeating: 8, count: 32) + [0, 0x13, 1, 0, 0, 6, 0, 43, 0, 2, 3, 4]

    /// Has a reader read the bytes as the client's, as the server's, and in pieces as both sides' in turn; judges a client that
    /// does each twice, the first time until the server resets the connection.
    private static func converse(_ bytes: [UInt8], _ make: () -> some StreamReader) {
        guard let end = Endpoint("127.0.0.1:1") else { return }
        for sides in [[Connection.Side.client], [.server], [.client, .server]] {
            var reader = make()
            for (index, part) in (sides.count == 1 ? [bytes[...]] : pieces(of: bytes)).enumerated() {
                reader.read(piece(part, at: index + 2), from: sides[index % sides.count])
            }
            let opening = packet(at: 1)
            var connection = Connection(.tcp, client: end, server: end, attempts: [opening])
            (connection.clientPackets, connection.accepted, connection.firstRequest) = ([opening], opening, opening)
            reader.describe(&connection)
            require(connection.requests.count <= bytes.count, "\(connection.requests.count) requests")
            var later = connection
            connection.endings = [.init(.reset, by: .server, packet(at: bytes.count + 3))]
            later.attempts = [packet(at: bytes.count + 4)]
            for index in later.requests.indices { later.requests[index].packet = packet(at: bytes.count + 5 + index) }
            var traffic = ObservedTraffic()
            traffic.connections = [connection, later]
            judge(traffic)
        }
    }

    private static func piece(_ bytes: ArraySlice<UInt8>, at milliseconds: Int = 1) -> StreamPiece {
        StreamPiece(bytes: bytes, packet: packet(at: milliseconds))
    }

    private static func packet(at milliseconds: Int) -> ObservedPacket {
        let time = Instant(nanoseconds: Int64(milliseconds) * 1_000_000)
        return ObservedPacket(number: milliseconds, sent: time, delivered: time)
    }
}

/// What a probe read of an answer.
private struct HTTPReading: Equatable {
    var heads: [String] = []
    var body: [UInt8] = []
    var ends = 0
    var isMalformed = false

    init(of pieces: [ArraySlice<UInt8>]) {
        var parser = HTTPResponseParser()
        do {
            for part in try pieces.flatMap({ try parser.parse($0) }) {
                switch part {
                case .head(let status, let location): heads.append("\(status) \(location ?? "-")")
                case .body(let bytes): body += bytes
                case .end: ends += 1
                }
            }
        } catch {
            isMalformed = true
        }
    }
}
