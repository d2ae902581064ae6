// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// Reads Apple's property lists in XML as JSON values with positions in the text.
///
/// Supports the subset of XML in property lists: elements, whose attributes are ignored; text with the predefined
/// entities; comments. Document types are not loaded.
struct PropertyList {
    private var rest: Substring.UnicodeScalarView
    private var line = 1
    private var column = 1

    private init(_ text: String) { rest = text[...].unicodeScalars }

    /// Reads a property list.
    static func read(_ text: String) throws(ImportError) -> JSON {
        var reader = PropertyList(text)
        guard case .open("plist") = try reader.nextTag() else { throw reader.failure("expected <plist>") }
        guard case .open(let name) = try reader.nextTag() else { throw reader.failure("the list is empty") }
        let value = try reader.value(name, depth: 0)
        guard case .close("plist") = try reader.nextTag() else { throw reader.failure("expected </plist>") }
        return value
    }

    private enum Tag: Equatable {
        case open(String)
        case close(String)
        case empty(String)
        case end
    }

    private static let deepest = 32

    private mutating func value(_ name: String, depth: Int) throws(ImportError) -> JSON {
        guard depth < Self.deepest else { throw failure("more than \(Self.deepest) levels") }
        let start = JSON.Position(line: line, column: column)
        switch name {
        case "dict": return JSON(.object(try members(depth)), at: start)
        case "array":
            var elements: [JSON] = []
            while true {
                switch try nextTag() {
                case .close("array"): return JSON(.array(elements), at: start)
                case .open(let name): elements.append(try value(name, depth: depth + 1))
                case .empty(let name): elements.append(try empty(name))
                default: throw failure("expected </array>")
                }
            }
        case "string", "date", "data", "integer", "real":
            let text = try text(until: name)
            let isNumber = name == "integer" || name == "real"
            return JSON(isNumber ? .number(text.trimmingSpace()) : .string(text), at: start)
        default: throw failure("<\(name)> is no element of a property list")
        }
    }

    private mutating func members(_ depth: Int) throws(ImportError) -> [JSON.Member] {
        var members: [JSON.Member] = []
        while true {
            let tag = try nextTag()
            if tag == .close("dict") { return members }
            guard tag == .open("key") else { throw failure("expected <key> or </dict>") }
            let position = JSON.Position(line: line, column: column)
            let key = try text(until: "key")
            guard !members.contains(where: { $0.name == key }) else {
                throw failure("duplicate key \(JSON.quoted(key))")
            }
            let value: JSON
            switch try nextTag() {
            case .open(let name): value = try self.value(name, depth: depth + 1)
            case .empty(let name): value = try empty(name)
            default: throw failure("expected the value of \(JSON.quoted(key))")
            }
            members.append(JSON.Member(name: key, position: position, value: value))
        }
    }

    private func empty(_ name: String) throws(ImportError) -> JSON {
        let position = JSON.Position(line: line, column: column)
        switch name {
        case "true", "false": return JSON(.bool(name == "true"), at: position)
        case "dict": return JSON(.object([]), at: position)
        case "array": return JSON(.array([]), at: position)
        case "string", "data": return JSON(.string(""), at: position)
        default: throw failure("<\(name)/> is no value of a property list")
        }
    }

    /// Skips space, comments and declarations, and reads a tag.
    private mutating func nextTag() throws(ImportError) -> Tag {
        while true {
            while let scalar = rest.first, scalar.properties.isWhitespace { advance() }
            guard !rest.isEmpty else { return .end }
            guard rest.first == "<" else { throw failure("expected \"<\"") }
            if rest.starts(with: "<!--".unicodeScalars) {
                try skip(past: "-->")
            } else if rest.starts(with: "<?".unicodeScalars) || rest.starts(with: "<!".unicodeScalars) {
                try skip(past: ">")
            } else {
                break
            }
        }
        advance()
        let isClosing = rest.first == "/"
        if isClosing { advance() }
        var inside = String.UnicodeScalarView()
        while let scalar = rest.first, scalar != ">", scalar != "<" {
            inside.append(scalar)
            advance()
        }
        guard rest.first == ">" else { throw failure("a tag without \">\"") }
        advance()
        let text = String(inside)
        let name = String(text.prefix { !$0.isWhitespace && $0 != "/" })
        return isClosing ? .close(name) : text.last == "/" ? .empty(name) : .open(name)
    }

    /// Reads the text of an element, and its closing tag.
    private mutating func text(until name: String) throws(ImportError) -> String {
        var text = String.UnicodeScalarView()
        while let scalar = rest.first, scalar != "<" {
            if scalar == "&" {
                text.append(try entity())
            } else {
                text.append(scalar)
                advance()
            }
        }
        guard try nextTag() == .close(name) else { throw failure("expected </\(name)>") }
        return String(text)
    }

    private static let entities: [String: Unicode.Scalar] = [
        "lt": "<", "gt": ">", "amp": "&", "quot": "\"", "apos": "'",
    ]

    private mutating func entity() throws(ImportError) -> Unicode.Scalar {
        let name = String(String.UnicodeScalarView(rest.dropFirst().prefix(8).prefix { $0 != ";" }))
        let number = name.hasPrefix("#x") ? UInt32(name.dropFirst(2), radix: 16) : UInt32(name.dropFirst())
        let scalar = name.hasPrefix("#") ? number.flatMap(Unicode.Scalar.init) : Self.entities[name]
        guard let scalar, rest.dropFirst(name.unicodeScalars.count + 1).first == ";" else {
            throw failure("\"&\" that begins no character")
        }
        for _ in 0..<name.unicodeScalars.count + 2 { advance() }
        return scalar
    }

    private mutating func skip(past end: String) throws(ImportError) {
        while !rest.isEmpty, !rest.starts(with: end.unicodeScalars) { advance() }
        guard !rest.isEmpty else { throw failure("expected \"\(end)\"") }
        for _ in end.unicodeScalars { advance() }
    }

    private mutating func advance() {
        guard let scalar = rest.popFirst() else { return }
        (line, column) = scalar == "\n" ? (line + 1, 1) : (line, column + 1)
    }

    private func failure(_ reason: String) -> ImportError { .invalid(location: "\(line):\(column)", reason: reason) }
}
