// SPDX-License-Identifier: Apache-2.0

/// The reason why a text is not JSON.
public struct MalformedJSON: Error, Equatable, CustomStringConvertible {
    /// The position of the error.
    public let position: JSON.Position
    /// The text found, and the text expected.
    public let reason: String

    /// Line, column and reason.
    public var description: String { "\(position.line):\(position.column): \(reason)" }
}

extension JSON {
    /// The deepest accepted nesting; the limit protects the stack from a hostile file.
    static let maximumDepth = 32

    /// Parses a JSON text. Duplicate keys in an object, which RFC 8259 allows, are errors.
    public init(utf8 bytes: some Sequence<UInt8>) throws(MalformedJSON) {
        let bytes = Array(bytes)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw MalformedJSON(position: Self.position(ofInvalidByteIn: bytes), reason: "the text is not UTF-8")
        }
        var reader = JSONReader(text)
        self = try reader.readDocument()
    }

    private static func position(ofInvalidByteIn bytes: [UInt8]) -> Position {
        var parser = UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        var position = (line: 1, column: 1)
        while case .valid(let encoded) = parser.parseScalar(from: &iterator) {
            position = UTF8.decode(encoded) == "\n" ? (position.line + 1, 1) : (position.line, position.column + 1)
        }
        return Position(line: position.line, column: position.column)
    }
}

/// A recursive-descent reader over Unicode scalars.
private struct JSONReader {
    private var rest: Substring.UnicodeScalarView
    private var line = 1
    private var column = 1
    private var depth = 0

    init(_ text: String) {
        rest = text[...].unicodeScalars
        // Some editors write a byte order mark; a parser may ignore it (RFC 8259, 8.1).
        if rest.first == "\u{FEFF}" { rest.removeFirst() }
    }

    private var position: JSON.Position { JSON.Position(line: line, column: column) }

    mutating func readDocument() throws(MalformedJSON) -> JSON {
        skipSpace()
        guard !rest.isEmpty else { throw failure("the text is empty; expected an object") }
        let value = try readValue()
        skipSpace()
        guard rest.isEmpty else { throw failure("found \(found) after the end of the document") }
        return value
    }

    private mutating func readValue() throws(MalformedJSON) -> JSON {
        let start = position
        switch rest.first {
        case "{": return JSON(.object(try readObject()), at: start)
        case "[": return JSON(.array(try readArray()), at: start)
        case "\"": return JSON(.string(try readString()), at: start)
        case "t": return JSON(try readWord("true", .bool(true)), at: start)
        case "f": return JSON(try readWord("false", .bool(false)), at: start)
        case "n": return JSON(try readWord("null", .null), at: start)
        case .some("-"), .some("0"..."9"): return JSON(.number(try readNumber()), at: start)
        default: throw failure("found \(found); expected a value")
        }
    }

    private mutating func readObject() throws(MalformedJSON) -> [JSON.Member] {
        var names: Set<String> = []
        return try readList(until: "}", of: "key") { (reader) throws(MalformedJSON) in
            guard reader.rest.first == "\"" else {
                throw reader.failure("found \(reader.found); expected a key in quotation marks or \"}\"")
            }
            let start = reader.position
            let name = try reader.readString()
            guard names.insert(name).inserted else {
                throw MalformedJSON(position: start, reason: "duplicate key \(JSON.quoted(name))")
            }
            reader.skipSpace()
            try reader.expect(":", after: "the key \(JSON.quoted(name))")
            reader.skipSpace()
            return JSON.Member(name: name, position: start, value: try reader.readValue())
        }
    }

    private mutating func readArray() throws(MalformedJSON) -> [JSON] {
        try readList(until: "]", of: "value") { (reader) throws(MalformedJSON) in try reader.readValue() }
    }

    /// Reads a list of elements separated by commas, with the brackets around it.
    private mutating func readList<Element>(
        until close: Unicode.Scalar,
        of kind: String,
        _ readElement: (inout JSONReader) throws(MalformedJSON) -> Element
    ) throws(MalformedJSON) -> [Element] {
        var elements: [Element] = []
        try enter()
        while rest.first != close {
            elements.append(try readElement(&self))
            skipSpace()
            guard rest.first == "," else { break }
            advance()
            skipSpace()
            if rest.first == close { throw failure("found \"\(close)\" after a comma; expected another \(kind)") }
        }
        guard rest.first == close else {
            throw failure("found \(found) after a value; expected \",\" or \"\(close)\"")
        }
        advance()
        depth -= 1
        return elements
    }

    private mutating func readString() throws(MalformedJSON) -> String {
        var text: [UInt8] = []
        advance()
        while true {
            let run = Substring(rest).utf8.prefix { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
            text += run
            // Columns count scalars: the continuation bytes of a scalar do not count.
            column += run.count { $0 & 0xC0 != 0x80 }
            rest = rest[run.endIndex...]
            switch rest.first {
            case "\"":
                advance()
                return String(decoding: text, as: UTF8.self)
            case "\\": text += String(Character(try readEscape())).utf8
            case nil: throw failure("the text ends inside quotation marks")
            default: throw failure("found \(found) in a string; control characters must be escaped")
            }
        }
    }

    private static let simpleEscapes: [Unicode.Scalar: Unicode.Scalar] = [
        "\"": "\"", "\\": "\\", "/": "/", "b": "\u{8}", "f": "\u{C}", "n": "\n", "r": "\r", "t": "\t",
    ]

    private mutating func readEscape() throws(MalformedJSON) -> Unicode.Scalar {
        let start = position
        advance()
        guard let letter = rest.first else { throw failure("the text ends inside quotation marks") }
        advance()
        if let scalar = Self.simpleEscapes[letter] { return scalar }
        guard letter == "u" else {
            throw MalformedJSON(position: start, reason: "\"\\\(letter)\" is not a valid JSON escape")
        }
        let first = try readHexadecimal()
        if let scalar = Unicode.Scalar(first) { return scalar }
        // UTF-16 surrogates come in pairs, high before low.
        if (0xD800...0xDBFF).contains(first), rest.starts(with: "\\u".unicodeScalars) {
            advance()
            advance()
            let second = try readHexadecimal()
            if (0xDC00...0xDFFF).contains(second),
                let scalar = Unicode.Scalar(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))
            {
                return scalar
            }
        }
        throw MalformedJSON(position: start, reason: "unpaired surrogate")
    }

    private mutating func readHexadecimal() throws(MalformedJSON) -> UInt32 {
        let digits = String(String.UnicodeScalarView(rest.prefix(4)))
        guard digits.count == 4, digits.allSatisfy(\.isHexDigit), let code = UInt32(digits, radix: 16) else {
            throw failure("expected four hexadecimal digits after \"\\u\"")
        }
        for _ in 0..<4 { advance() }
        return code
    }

    /// `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`
    private mutating func readNumber() throws(MalformedJSON) -> String {
        let start = rest
        if rest.first == "-" { advance() }
        if rest.first == "0" {
            advance()
            if startsWithDigit { throw failure("a number must not have leading zeros") }
        } else {
            try skipDigits(expected: "a digit")
        }
        if rest.first == "." {
            advance()
            try skipDigits(expected: "a digit after the decimal point")
        }
        if rest.first == "e" || rest.first == "E" {
            advance()
            if rest.first == "+" || rest.first == "-" { advance() }
            try skipDigits(expected: "an exponent")
        }
        return String(start[..<rest.startIndex])
    }

    private var startsWithDigit: Bool { rest.first.map { "0"..."9" ~= $0 } ?? false }

    private mutating func skipDigits(expected: String) throws(MalformedJSON) {
        guard startsWithDigit else { throw failure("found \(found); expected \(expected)") }
        while startsWithDigit { advance() }
    }

    private mutating func readWord(_ word: String, _ value: JSON.Content) throws(MalformedJSON) -> JSON.Content {
        guard rest.starts(with: word.unicodeScalars) else { throw failure("found \(found); expected a value") }
        for _ in word.unicodeScalars { advance() }
        return value
    }

    private mutating func enter() throws(MalformedJSON) {
        depth += 1
        guard depth <= JSON.maximumDepth else {
            throw failure("more than \(JSON.maximumDepth) levels of nested objects and arrays")
        }
        advance()
        skipSpace()
    }

    private mutating func expect(_ scalar: Unicode.Scalar, after context: String) throws(MalformedJSON) {
        guard rest.first == scalar else { throw failure("found \(found) after \(context); expected \"\(scalar)\"") }
        advance()
    }

    private mutating func skipSpace() {
        while let scalar = rest.first, scalar == " " || scalar == "\n" || scalar == "\t" || scalar == "\r" { advance() }
    }

    private mutating func advance() {
        guard let scalar = rest.popFirst() else { return }
        if scalar == "\n" {
            line += 1
            column = 1
        } else {
            column += 1
        }
    }

    /// The text at the current position, for messages.
    private var found: String {
        guard let scalar = rest.first else { return "the end of the text" }
        let word = rest.prefix(12).prefix { $0.properties.isAlphabetic }
        return JSON.quoted(word.count > 1 ? String(String.UnicodeScalarView(word)) : String(scalar))
    }

    private func failure(_ reason: String) -> MalformedJSON {
        MalformedJSON(position: position, reason: reason)
    }
}
