// SPDX-License-Identifier: Apache-2.0

/// Finds the HTTP/1 messages in one side's stream: parses heads and skips bodies.
struct HTTPMessages {
    /// Called with each head and the packet of the head's first byte; returns the length of the body.
    typealias BodyAfter = (HTTPHead, ObservedPacket) -> HTTPHead.Body
    /// Called at the end of a message, with the message's body; nil if a part of it was not kept.
    typealias Completion = (ObservedRequest.Body?) -> Void

    /// The next part of the stream.
    private enum Part {
        case head
        case body(Int)
        case toTheEnd
        /// The line with a chunk's length.
        case chunkLine
        /// A chunk and the line end after it.
        case chunk(Int)
        case trailers
        case nothing
    }

    /// The longest head that is read.
    private static let longestHead = 16 << 10
    private static let longestLine = 4 << 10

    private var part = Part.head
    /// The bytes of an incomplete head or line.
    private var buffer: [UInt8] = []
    /// The packet of the first byte of the head.
    private var begin: ObservedPacket?
    /// The body so far; nil if a part of it is missing.
    private var content: ObservedRequest.Body? = .init()
    /// The number of bytes of the body so far, including bytes that were not kept.
    private(set) var bodyLength = 0
    /// After a head that switches protocols: the bytes that follow it in the same piece.
    private(set) var rest: StreamPiece?
    /// Whether bodies are hashed, and not only skipped.
    private let readsBodies: Bool

    init(readsBodies: Bool) { self.readsBodies = readsBodies }

    /// Whether the stream cannot be understood further.
    var hasEnded: Bool {
        if case .nothing = part { true } else { false }
    }

    /// Whether the current body ends with the connection.
    var endsWithConnection: Bool {
        if case .toTheEnd = part { true } else { false }
    }

    /// Stops reading.
    mutating func end() { (part, buffer) = (.nothing, []) }

    /// Reads bytes.
    mutating func read(_ piece: StreamPiece, _ body: BodyAfter, completed: Completion) {
        var bytes = piece.bytes
        while let byte = bytes.first, !hasEnded {
            switch part {
            case .head:
                bytes = bytes.dropFirst()
                if addToHead(byte, piece.packet) { finishHead(body, completed) }
                if hasEnded { rest = StreamPiece(bytes: bytes, missing: piece.missing, packet: piece.packet) }
            case .body(let left), .chunk(let left):
                let count = min(left, bytes.count)
                let length = isInChunk ? min(count, max(left - 2, 0)) : count
                if readsBodies { content?.add(bytes.prefix(length)) }
                bodyLength += length
                bytes = bytes.dropFirst(count)
                skip(count, completed)
            case .chunkLine, .trailers:
                bytes = bytes.dropFirst()
                addToLine(byte, completed)
            case .toTheEnd:
                bodyLength += bytes.count + piece.missing
                return
            case .nothing: return
            }
        }
        if piece.missing > 0 { pass(piece.missing, body, completed) }
    }

    /// Whether a chunk is being read, whose remaining bytes include the line end after it.
    private var isInChunk: Bool {
        if case .chunk = part { true } else { false }
    }

    /// Skips `count` bytes of a body or a chunk, which has at least `count` left.
    private mutating func skip(_ count: Int, _ completed: Completion) {
        switch part {
        case .body(let left) where count < left: part = .body(left - count)
        case .body:
            part = .head
            completed(content)
        case .chunk(let left) where count < left: part = .chunk(left - count)
        case .chunk: part = .chunkLine
        default: break
        }
    }

    /// Adds a byte to the head; returns whether the head is complete now.
    private mutating func addToHead(_ byte: UInt8, _ packet: ObservedPacket) -> Bool {
        if buffer.isEmpty {
            // Line ends before a message are ignored (RFC 9112, section 2.2).
            guard byte != 0x0A, byte != 0x0D else { return false }
            begin = packet
        }
        buffer.append(byte)
        if buffer.count > Self.longestHead { end() }
        return byte == 0x0A && (buffer.suffix(2) == [0x0A, 0x0A] || buffer.suffix(3) == [0x0A, 0x0D, 0x0A])
    }

    private mutating func finishHead(_ body: BodyAfter, _ completed: Completion) {
        guard let begin, let head = HTTPHead(buffer) else { return end() }
        (buffer, content, bodyLength) = ([], .init(), 0)
        switch body(head, begin) {
        case .length(let length) where length > 0: part = .body(length)
        case .none, .length:
            part = .head
            completed(content)
        case .chunked: part = .chunkLine
        case .toTheEnd: part = .toTheEnd
        case .foreign: end()
        }
    }

    private mutating func addToLine(_ byte: UInt8, _ completed: Completion) {
        buffer.append(byte)
        guard buffer.count <= Self.longestLine else { return end() }
        guard byte == 0x0A else { return }
        let line = buffer.dropLast(buffer.dropLast().last == 0x0D ? 2 : 1)
        buffer = []
        if case .trailers = part {
            guard line.isEmpty else { return }
            part = .head
            return completed(content)
        }
        let digits = line.prefix { $0 != UInt8(ascii: ";") && $0 != 0x20 && $0 != 0x09 }
        guard let length = Int(digits: String(decoding: digits, as: UTF8.self), radix: 16) else { return end() }
        part = length == 0 ? .trailers : .chunk(length + 2)
    }

    /// Skips `missing` bytes that were not kept. Outside a body, that ends the reading.
    private mutating func pass(_ missing: Int, _ body: BodyAfter, _ completed: Completion) {
        content = nil
        switch part {
        case .body(let left) where missing <= left:
            bodyLength += missing
            skip(missing, completed)
        case .chunk(let left) where missing <= left:
            bodyLength += min(missing, max(left - 2, 0))
            skip(missing, completed)
        case .toTheEnd where missing <= .longestBody: bodyLength += missing
        case .nothing: break
        case .head:
            // The start of a head that was cut is parsed nevertheless.
            if !buffer.isEmpty { finishHead(body, { _ in }) }
            end()
        default: end()
        }
    }
}
