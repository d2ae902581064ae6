// SPDX-License-Identifier: Apache-2.0

import SocketServing

extension FuzzTarget {
    /// Requests to a server.
    static let request = FuzzTarget(
        "request",
        texts: [
            "GET /a?b HTTP/1.1\r\nHost: a\r\n\r\nPUT * HTTP/1.0\r\nContent-Length: 2\r\n\r\nok",
            "POST http://a.test/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0\r\nA: b\r\n\r\n",
            "M-SEARCH / HTTP/1.1\r\nConnection: close, a\r\nContent-Length: 30\r\n\r\n012345678901234567890123456789",
        ]
    ) { bytes in
        let whole = RequestReading(of: [bytes[...]])
        let pieced = RequestReading(of: pieces(of: bytes))
        require(whole == pieced, "\(whole), and in pieces \(pieced)")
        for request in whole.requests {
            let length = request.body?.count ?? 0
            require(length <= RequestReading.longestBody, "a body of \(length) bytes")
            let framing = request.values(of: "content-length") + request.values(of: "transfer-encoding")
            require(framing.count <= 1, "a body has two ends: \(framing)")
        }
    }
}

/// The requests in pieces of bytes, up to what is malformed.
private struct RequestReading: Equatable {
    static let longestBody = 20

    var requests: [HTTPRequest] = []
    var isMalformed = false

    init(of pieces: [ArraySlice<UInt8>]) {
        var parser = HTTPRequestParser(longestBody: Self.longestBody)
        do throws(HTTPRequestParser.Malformation) {
            for piece in pieces {
                var piece = piece
                while let request = try parser.next(&piece) { requests.append(request) }
            }
        } catch {
            isMalformed = true
        }
    }
}
