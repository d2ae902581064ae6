// SPDX-License-Identifier: Apache-2.0

/// Parses one HTTP/1.1 response from pieces of any size (RFC 9112). Pure. Rejects errors that would make the end of the
/// response ambiguous.
struct HTTPResponseParser {
    enum Part: Equatable {
        case head(status: Int, location: String?)
        case body(ArraySlice<UInt8>)
        case end
    }

    /// An error that says that the bytes are not a valid HTTP response.
    struct Malformation: Error, Equatable {}

    /// The longest line, and the longest head, in bytes; longer ones are malformed.
    static let longestLine = 16_384
    static let longestHead = 65_536
    private static let maximumInterimResponses = 16

    private enum State {
        case statusLine, fields, chunkSize, chunkEnd, trailer, untilClose, ended
        /// The number of bytes of the body, or of the current chunk, that are still to come.
        case content(Int, isChunk: Bool)
    }

    private var state = State.statusLine
    private var line: [UInt8] = []
    private var headSize = 0
    private var interimResponses = 0
    private var status = 0
    private var fields = Fields()

    /// The header fields that this parser needs.
    private struct Fields {
        var location: String?
        var length: Int?
        var codings: [String] = []
        var hasCoding = false
    }

    mutating func parse(_ bytes: ArraySlice<UInt8>) throws(Malformation) -> [Part] {
        var rest = bytes
        var parts: [Part] = []
        while !rest.isEmpty {
            switch state {
            case .ended: return parts
            case .untilClose:
                parts.append(.body(rest))
                return parts
            case .content(let left, let isChunk):
                let piece = rest.prefix(left)
                rest = rest.dropFirst(piece.count)
                parts.append(.body(piece))
                if piece.count < left {
                    state = .content(left - piece.count, isChunk: isChunk)
                } else if isChunk {
                    state = .chunkEnd
                } else {
                    parts.append(end())
                }
            case .statusLine, .fields, .chunkSize, .chunkEnd, .trailer:
                guard let line = try readLine(&rest) else { return parts }
                parts += try parse(line: line)
            }
        }
        return parts
    }

    /// Processes the end of the connection; returns whether the response is complete.
    mutating func finish() -> Bool {
        if case .untilClose = state { state = .ended }
        if case .ended = state { return true }
        return false
    }

    /// Reads a line without its line ending; nil if more bytes have to arrive first.
    private mutating func readLine(_ rest: inout ArraySlice<UInt8>) throws(Malformation) -> [UInt8]? {
        let piece = rest.prefix { $0 != UInt8(ascii: "\n") }
        line += piece
        headSize += piece.count
        guard line.count <= Self.longestLine, headSize <= Self.longestHead else { throw Malformation() }
        if case .statusLine = state, !Self.mayBeStatusLine(line) { throw Malformation() }
        rest = rest.dropFirst(piece.count)
        guard !rest.isEmpty else { return nil }
        rest = rest.dropFirst()
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        guard line.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == UInt8(ascii: "\t") }) else { throw Malformation() }
        defer { line = [] }
        return line
    }

    /// Whether a status line may start with these bytes, so that another protocol is recognized by its first bytes.
    private static func mayBeStatusLine(_ bytes: [UInt8]) -> Bool {
        zip(bytes, "HTTP/1.".utf8).allSatisfy { $0 == $1 }
    }

    private mutating func parse(line: [UInt8]) throws(Malformation) -> [Part] {
        switch state {
        case .statusLine:
            try readStatus(line)
            state = .fields
        case .fields where line.isEmpty: return try endHead()
        case .fields: try readField(line)
        case .chunkSize:
            headSize = 0
            let digits = line.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") }
            guard (1...15).contains(digits.count), digits.first != UInt8(ascii: "+"), digits.first != UInt8(ascii: "-"),
                let size = Int(String(decoding: digits, as: UTF8.self), radix: 16)
            else { throw Malformation() }
            state = size == 0 ? .trailer : .content(size, isChunk: true)
        case .chunkEnd:
            guard line.isEmpty else { throw Malformation() }
            state = .chunkSize
        case .trailer where line.isEmpty: return [end()]
        case .trailer, .untilClose, .ended, .content: break
        }
        return []
    }

    private mutating func readStatus(_ line: [UInt8]) throws(Malformation) {
        // "HTTP/1.1 200 OK"; the reason phrase, and the space before it, may be missing.
        guard line.count >= 12, Self.mayBeStatusLine(line), Self.isDigit(line[7]), line[8] == UInt8(ascii: " "),
            line[9..<12].allSatisfy(Self.isDigit), line.count == 12 || line[12] == UInt8(ascii: " ")
        else { throw Malformation() }
        status = line[9..<12].reduce(0) { $0 * 10 + Int($1) - 48 }
        guard (100...999).contains(status) else { throw Malformation() }
        fields = Fields()
    }

    private mutating func readField(_ line: [UInt8]) throws(Malformation) {
        // A field name has at least one byte, without spaces in it or after it (sections 5.1, 5.2).
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0, line[..<colon].allSatisfy({ $0 > 0x20 })
        else { throw Malformation() }
        let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
        let value = Self.trimmed(String(decoding: line[(colon + 1)...], as: UTF8.self))
        switch name {
        case "location": fields.location = fields.location ?? value
        case "content-length":
            for number in value.split(separator: ",", omittingEmptySubsequences: false) {
                let digits = Self.trimmed(number)
                guard (1...18).contains(digits.utf8.count), digits.utf8.allSatisfy(Self.isDigit),
                    let length = Int(digits), fields.length == nil || fields.length == length
                else { throw Malformation() }
                fields.length = length
            }
        case "transfer-encoding":
            fields.hasCoding = true
            fields.codings += value.lowercased().split(separator: ",").map { Self.trimmed($0) }
        default: break
        }
    }

    private mutating func endHead() throws(Malformation) -> [Part] {
        headSize = 0
        // A response with both fields may be an attempt at request smuggling (section 6.3).
        guard !fields.hasCoding || fields.length == nil else { throw Malformation() }
        if (100...199).contains(status), status != 101 {
            interimResponses += 1
            guard interimResponses <= Self.maximumInterimResponses else { throw Malformation() }
            state = .statusLine
            return []
        }
        let head = Part.head(status: status, location: fields.location)
        if status == 101 || status == 204 || status == 304 || fields.length == 0 { return [head, end()] }
        if fields.hasCoding {
            state = fields.codings.last == "chunked" ? .chunkSize : .untilClose
        } else {
            state = fields.length.map { .content($0, isChunk: false) } ?? .untilClose
        }
        return [head]
    }

    private mutating func end() -> Part {
        state = .ended
        return .end
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func trimmed(_ text: some StringProtocol) -> String {
        let isBlank = { (character: Character) in character == " " || character == "\t" }
        guard let last = text.lastIndex(where: { !isBlank($0) }) else { return "" }
        return String(text[...last].drop(while: isBlank))
    }
}
