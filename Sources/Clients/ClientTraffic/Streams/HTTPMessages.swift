// SPDX-License-Identifier: Apache-2.0

/// Finds the messages of HTTP/1 in one side's stream: reads heads and passes over bodies.
struct HTTPMessages {
    /// Gets each head with the packet of its first byte, and returns the length of the body.
    typealias BodyAfter = (HTTPHead, ObservedPacket) -> HTTPHead.Body
    /// Called at the end of a message, with its body; nil if not all of it was kept.
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
    /// The bytes of a head or a line that is not complete.
    private var buffer: [UInt8] = []
    /// The packet of the first byte of the head.
    private var begin: ObservedPacket?
    /// The body so far; nil if a part of it is missing.
    private var content: ObservedRequest.Body? = .init()
    /// The bytes of the body so far, whether they were kept or not.
    private(set) var bodyLength = 0
    /// The bytes, in their piece, after a head from which the stream is another protocol's.
    private(set) var rest: StreamPiece?
    /// Whether bodies are read, and not only passed over.
    private let readsBodies: Bool

    init(readsBodies: Bool) { self.readsBodies = readsBodies }

    /// Whether the stream cannot be understood further.
    var hasEnded: Bool {
        if case .nothing = part { true } else { false }
    }

    /// Whether the body that is read ends with the connection.
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

    /// Whether the line end after a chunk, which is no part of the body, follows what is read.
    private var isInChunk: Bool {
        if case .chunk = part { true } else { false }
    }

    /// Passes over bytes of a body or a chunk, which has as many left.
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

    /// Returns whether the head is whole now.
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

    /// Bytes follow that were not kept: in a body they do not count.
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
            // The start of a head says something too.
            if !buffer.isEmpty { finishHead(body, { _ in }) }
            end()
        default: end()
        }
    }
}
