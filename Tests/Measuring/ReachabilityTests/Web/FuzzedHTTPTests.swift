// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

@testable import Probing

/// Answers of a web server that may send anything.
@Suite struct FuzzedHTTPTests {
    private static let sound = [
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "HTTP/1.1 204 No Content\r\n\r\n",
        "HTTP/1.0 302 Found\r\nLocation: http://a.test/\r\n\r\nbody until the end",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n10;a=b\r\n0123456789abcdef\r\n0\r\nX: y\r\n\r\n",
        "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 511 Portal\r\nContent-Length: 2, 2\r\n\r\nok",
    ].map { Array($0.utf8) }

    /// What was read, however the bytes were cut.
    private struct Reading: Equatable {
        var heads: [String] = []
        var body: [UInt8] = []
        var ends = 0
        var isMalformed = false

        mutating func take(_ bytes: ArraySlice<UInt8>, _ parser: inout HTTPResponseParser) {
            guard !isMalformed else { return }
            do throws(HTTPResponseParser.Malformation) {
                for part in try parser.parse(bytes) {
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

    @Test(arguments: [1, 2] as [UInt64])
    func readsTheSameHoweverTheBytesAreCut(seed: UInt64) {
        var inputs = FuzzedInputs(Self.sound, seed: seed)
        var wholeOnes = 0
        for _ in 0..<FuzzedInputs.count {
            let bytes = inputs.next()
            var (parser, other) = (HTTPResponseParser(), HTTPResponseParser())
            var (reading, inPieces) = (Reading(), Reading())
            reading.take(bytes[...], &parser)
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = inputs.piece(of: rest)
                rest = rest.dropFirst(piece.count)
                inPieces.take(piece, &other)
            }
            // Of malformed bytes, more may have been read before that was seen.
            let isSame = reading.isMalformed ? inPieces.isMalformed : reading == inPieces
            let isSound = reading.heads.count <= 1 && reading.ends <= 1 && reading.body.count <= bytes.count
            if !isSame || !isSound { Issue.record("\(bytes): \(reading), in pieces \(inPieces)") }
            if !reading.isMalformed, parser.finish() { wholeOnes += 1 }
        }
        #expect(wholeOnes > FuzzedInputs.count / 50)
    }
}
