// SPDX-License-Identifier: Apache-2.0

/// Parses HTTP/1.0 and HTTP/1.1 requests from bytes in pieces of any size (RFC 9112). Pure.
///
/// It refuses requests that two parsers might interpret differently, since a request could be hidden in another one's
/// body (request smuggling): a length beside chunks, two lengths, a transfer coding other than chunked, lines that end
/// without CR, folded lines, spaces before a colon, and control characters.
package struct HTTPRequestParser {
    /// The error for bytes that are not an acceptable request.
    package struct Malformation: Error, Equatable {}

    /// The maximum number of bytes of a head, of a chunk-size line, and of the fields after the last chunk.
    static let longestHead = 16 << 10
    static let maximumFields = 256

    private enum State {
        case requestLine, fields, chunkSize, chunkEnd, trailer
        /// The given number of bytes of the body, or of one chunk, remain.
        case content(Int, isChunk: Bool)
    }

    /// The maximum length of a body that is kept; longer bodies are read and discarded.
    private let longestBody: Int
    private var state = State.requestLine
    private var line: [UInt8] = []
    private var headSize = 0
    private var request = HTTPRequest(method: "", target: "", minorVersion: 1, fields: [], body: [])
    private var length: Int?
    private var isChunked = false

    package init(longestBody: Int) { self.longestBody = longestBody }

    /// Parses and removes bytes from the front of `bytes`: up to the end of a request, which it returns, or all of
    /// them.
    package mutating func next(_ bytes: inout ArraySlice<UInt8>) throws(Malformation) -> HTTPRequest? {
        while !bytes.isEmpty {
            if case .content(let left, let isChunk) = state {
                let piece = bytes.prefix(left)
                bytes = bytes.dropFirst(piece.count)
                keep(piece)
                if piece.count < left {
                    state = .content(left - piece.count, isChunk: isChunk)
                } else if isChunk {
                    state = .chunkEnd
                } else {
                    return finish()
                }
            } else {
                guard try readLine(&bytes) else { return nil }
                let isComplete = try parseLine()
                line.removeAll(keepingCapacity: true)
                if isComplete { return finish() }
            }
        }
        return nil
    }

    private mutating func finish() -> HTTPRequest {
        let finished = request
        self = HTTPRequestParser(longestBody: longestBody)
        return finished
    }

    private mutating func keep(_ piece: ArraySlice<UInt8>) {
        guard let kept = request.body?.count else { return }
        if kept + piece.count <= longestBody { request.body?.append(contentsOf: piece) } else { request.body = nil }
    }

    /// Moves bytes to the line, up to its end, which it removes; returns false if the line is incomplete.
    private mutating func readLine(_ bytes: inout ArraySlice<UInt8>) throws(Malformation) -> Bool {
        let piece = bytes.prefix { $0 != UInt8(ascii: "\n") }
        // Checked before the line is complete: another protocol may have no lines.
        guard piece.allSatisfy(Self.mayBeInLine) else { throw Malformation() }
        line += piece
        bytes = bytes.dropFirst(piece.count)
        let hasEnd = bytes.popFirst() != nil
        headSize += piece.count + (hasEnd ? 1 : 0)
        guard headSize <= Self.longestHead else { throw Malformation() }
        guard hasEnd else { return false }
        guard line.popLast() == UInt8(ascii: "\r"), !line.contains(UInt8(ascii: "\r")) else { throw Malformation() }
        return true
    }

    private static func mayBeInLine(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != 0x7F || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
    }

    /// Parses the line; returns whether the request is complete with it.
    private mutating func parseLine() throws(Malformation) -> Bool {
        switch state {
        // A client may send an empty line after a body: section 2.2.
        case .requestLine where line.isEmpty: return false
        case .requestLine:
            try readRequestLine()
            state = .fields
        case .fields where line.isEmpty: return try endHead()
        case .fields: try readField()
        case .chunkSize:
            try readChunkSize()
        case .chunkEnd:
            guard line.isEmpty else { throw Malformation() }
            headSize = 0
            state = .chunkSize
        case .trailer where line.isEmpty: return true
        case .trailer: _ = try field()
        case .content: break
        }
        return false
    }

    /// Parses a line such as "GET /v1/status HTTP/1.1".
    private mutating func readRequestLine() throws(Malformation) {
        let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard words.count == 3, !words[0].isEmpty, Self.isTarget(words[1]),
            words[0].allSatisfy({ Self.isUpperCase($0) || $0 == UInt8(ascii: "-") }),
            let version = ["HTTP/1.0", "HTTP/1.1"].firstIndex(where: { words[2].elementsEqual($0.utf8) })
        else { throw Malformation() }
        request.method = String(decoding: words[0], as: UTF8.self)
        request.target = String(decoding: words[1], as: UTF8.self)
        request.minorVersion = version
    }

    /// Whether the target is a path, "*", or a complete URL, in visible ASCII characters.
    private static func isTarget(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else { return false }
        let scheme = bytes.prefix { isUpperCase($0) || isUpperCase($0 & 0xDF) }
        return bytes.first == UInt8(ascii: "/") || bytes.elementsEqual("*".utf8)
            || !scheme.isEmpty && bytes.dropFirst(scheme.count).starts(with: Array("://".utf8))
    }

    /// Parses the line as a field.
    private func field() throws(Malformation) -> HTTPRequest.Field {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0,
            line[..<colon].allSatisfy(Self.isTokenCharacter)
        else { throw Malformation() }
        var value = line[(colon + 1)...]
        while let first = value.first, Self.isBlank(first) { value.removeFirst() }
        while let last = value.last, Self.isBlank(last) { value.removeLast() }
        return HTTPRequest.Field(
            name: String(decoding: line[..<colon], as: UTF8.self).lowercased(),
            value: String(decoding: value, as: UTF8.self)
        )
    }

    private mutating func readField() throws(Malformation) {
        let field = try field()
        guard request.fields.count < Self.maximumFields else { throw Malformation() }
        request.fields.append(field)
        switch field.name {
        case "content-length":
            // A second length is refused even if it is the same.
            guard length == nil, (1...15).contains(field.value.utf8.count), field.value.utf8.allSatisfy(Self.isDigit)
            else {
                throw Malformation()
            }
            length = Int(field.value)
        case "transfer-encoding":
            guard !isChunked, field.value.lowercased() == "chunked" else { throw Malformation() }
            isChunked = true
        default: break
        }
    }

    private mutating func endHead() throws(Malformation) -> Bool {
        // HTTP/1.0 has no chunks; a proxy that passed such a request on may have interpreted it differently.
        guard !isChunked || length == nil && request.minorVersion == 1 else { throw Malformation() }
        headSize = 0
        guard isChunked || length ?? 0 > 0 else { return true }
        state = isChunked ? .chunkSize : .content(length ?? 0, isChunk: false)
        return false
    }

    /// Parses "1f" or "1f;name=value", whose extensions are ignored.
    private mutating func readChunkSize() throws(Malformation) {
        let digits = line.prefix { $0 != UInt8(ascii: ";") }
        guard (1...15).contains(digits.count), digits.allSatisfy(Self.isHexDigit),
            let size = Int(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw Malformation() }
        headSize = 0
        state = size == 0 ? .trailer : .content(size, isChunk: true)
    }

    private static func isUpperCase(_ byte: UInt8) -> Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    /// Whether a field name may contain the byte: RFC 9110, section 5.6.2.
    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        isDigit(byte) || isUpperCase(byte & 0xDF) && byte < 0x80 || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
}
