// SPDX-License-Identifier: Apache-2.0

/// Reads HTTP on a connection, in the clear or decrypted. The first bytes show whether it is HTTP/1 or HTTP/2.
struct HTTPConversation: StreamReader {
    private enum Reader {
        /// Nothing has been sent.
        case unknown
        case http1(HTTPExchange)
        case http2(HTTP2Exchange)
        /// Another protocol.
        case other
    }

    private var reader = Reader.unknown
    /// The HTTP/1 requests before the connection switched to HTTP/2.
    private var earlier: [ObservedRequest] = []
    /// The client's first bytes, while they may be the start of the HTTP/2 preface.
    private var start: [StreamPiece] = []
    /// The decoders; nil if HTTP/2 cannot be read.
    private let decoders: (any StreamDecoders)?
    private let budget: ReadingBudget

    init(_ decoders: (any StreamDecoders)?, _ budget: ReadingBudget = ReadingBudget()) {
        (self.decoders, self.budget) = (decoders, budget)
    }

    /// Makes a reader of a connection that has negotiated HTTP/2.
    init(http2 decoders: any StreamDecoders, _ budget: ReadingBudget = ReadingBudget()) {
        (self.decoders, self.budget) = (decoders, budget)
        reader = .http2(HTTP2Exchange(decoders, budget))
    }

    /// Whether a side has sent any bytes.
    var hasBegun: Bool {
        if case .unknown = reader { !start.isEmpty } else { true }
    }

    var isFinished: Bool {
        switch reader {
        case .unknown: false
        case .http1(let exchange): exchange.isFinished
        case .http2(let exchange): exchange.isFinished
        case .other: true
        }
    }

    var needsAllBytes: Bool {
        if case .http2 = reader { true } else { false }
    }

    func describe(_ connection: inout Connection) {
        connection.requests = earlier
        switch reader {
        case .unknown, .other: break
        case .http1(let exchange): exchange.describe(&connection)
        case .http2(let exchange): exchange.describe(&connection)
        }
    }

    mutating func read(_ piece: StreamPiece, from side: Connection.Side) {
        // A TLS record may have no content.
        guard !piece.bytes.isEmpty || piece.missing > 0 else { return }
        switch reader {
        case .unknown: recognize(piece, side)
        case .http1(var exchange):
            // The enum releases the exchange first: a second reference would copy its buffers.
            reader = .other
            exchange.read(piece, from: side)
            if let decoders, let upgrade = exchange.upgradeToHTTP2() {
                earlier = upgrade.earlier
                reader = http2(decoders, upgraded: upgrade.request)
                read(upgrade.rest, from: .server)
            } else {
                reader = .http1(exchange)
            }
        case .http2(var exchange):
            reader = .other
            exchange.read(piece, from: side)
            reader = .http2(exchange)
        case .other: break
        }
    }

    private func http2(_ decoders: any StreamDecoders, upgraded request: ObservedRequest? = nil) -> Reader {
        guard budget.reserve(ReadingBudget.Size.decoder) else { return .other }
        return .http2(HTTP2Exchange(decoders, budget, upgraded: request))
    }

    private mutating func recognize(_ piece: StreamPiece, _ side: Connection.Side) {
        guard side == .client else {
            // An HTTP/2 server may send before the client does (RFC 9113, section 3.4).
            guard let decoders, Self.beginsHTTP2(piece.bytes) else { return reader = .other }
            reader = http2(decoders)
            let waiting = start
            start = []
            for piece in waiting { read(piece, from: .client) }
            return read(piece, from: .server)
        }
        start.append(piece)
        let bytes = start.flatMap(\.bytes)
        let count = Self.tellingBytes
        let isPreface = bytes.prefix(count).elementsEqual(HTTP2Frames.preface.prefix(min(count, bytes.count)))
        guard !isPreface || bytes.count >= count || piece.missing > 0 else { return }
        if isPreface, !bytes.isEmpty, let decoders {
            reader = http2(decoders)
        } else if let first = bytes.first, UInt8(ascii: "A")...UInt8(ascii: "Z") ~= first {
            reader = .http1(HTTPExchange(budget))
        } else {
            reader = .other
        }
        let waiting = start
        start = []
        for piece in waiting { read(piece, from: .client) }
    }

    /// The number of bytes after which the preface differs from every HTTP/1 request.
    private static let tellingBytes = 4

    /// Whether a server's first bytes are a SETTINGS frame.
    private static func beginsHTTP2(_ bytes: ArraySlice<UInt8>) -> Bool {
        let header = Array(bytes.prefix(9))
        guard header.count == 9, header[0] == 0, (Int(header[1]) << 8 | Int(header[2])) % 6 == 0 else { return false }
        return header[3...].elementsEqual([4, 0, 0, 0, 0, 0])
    }
}
