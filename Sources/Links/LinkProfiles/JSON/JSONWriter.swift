// SPDX-License-Identifier: Apache-2.0

extension JSON: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral {
    /// Makes a string.
    public init(stringLiteral text: String) { self.init(.string(text)) }
    /// Makes true or false.
    public init(booleanLiteral bool: Bool) { self.init(.bool(bool)) }
    /// Makes a whole number.
    public init(integerLiteral number: Int) { self.init(.number(String(number))) }
}

extension JSON {
    /// Makes a string; returns nil for nil.
    public static func text(_ text: (some CustomStringConvertible)?) -> JSON? {
        text.map { JSON(.string($0.description)) }
    }

    /// Makes a whole number; returns nil for nil.
    public static func number(_ number: (some BinaryInteger)?) -> JSON? {
        number.map { JSON(.number(String($0))) }
    }

    /// Makes a number, or null if it is not finite; returns nil for nil.
    public static func number(_ number: Double?) -> JSON? {
        number.map { JSON($0.isFinite ? .number("\($0)") : .null) }
    }

    /// Makes true or false; returns nil for nil.
    public static func bool(_ bool: Bool?) -> JSON? {
        bool.map { JSON(.bool($0)) }
    }

    /// Makes an array.
    public static func list(_ elements: [JSON]) -> JSON {
        JSON(.array(elements))
    }

    /// Makes an object of the members whose value is not nil, in the given order.
    public init(_ members: (String, JSON?)...) {
        self.init(members: members)
    }

    /// Makes an object of the members whose value is not nil, in the given order.
    public init(members: [(String, JSON?)]) {
        self.init(
            .object(members.compactMap { name, value in value.map { Member(name: name, position: .start, value: $0) } })
        )
    }

    /// Makes an empty object.
    public init() {
        self.init(.object([]))
    }

    /// The members of an object; empty for any other value.
    public var members: [Member] {
        if case .object(let members) = value { members } else { [] }
    }

    /// Returns the object with the member `name` set to `value`; a new member is appended.
    public func replacing(_ name: String, _ value: JSON) -> JSON {
        var pairs: [(String, JSON?)] = members.map { ($0.name, $0.name == name ? value : $0.value) }
        if self[name] == nil { pairs.append((name, value)) }
        return JSON(members: pairs)
    }

    /// The value as text over several lines, indented by two spaces a level, with short objects and arrays on one line.
    public var text: String {
        var text = ""
        write(to: &text, indent: 0)
        return text
    }

    /// The value as text on one line.
    public var line: String {
        var line = ""
        _ = writeLine(to: &line, limit: .max)
        return line
    }

    /// The maximum length of a line with several values.
    private static let longestLine = 96

    private func write(to text: inout String, indent: Int) {
        let (open, elements, close): (String, [(name: String?, value: JSON)], String)
        switch value {
        case .array(let array): (open, elements, close) = ("[", array.map { (nil, $0) }, "]")
        case .object(let members): (open, elements, close) = ("{", members.map { ($0.name, $0.value) }, "}")
        default: return _ = writeLine(to: &text, limit: .max)
        }
        if indent > 0 || elements.isEmpty {
            var line = ""
            // Stops at a limit in bytes once the line is surely too long: otherwise an element is rendered once for
            // each level.
            if writeLine(to: &line, limit: 4 * Self.longestLine), line.count + indent <= Self.longestLine {
                text += line
                return
            }
        }
        text += open
        let margin = "\n" + String(repeating: " ", count: indent + 2)
        for (index, element) in elements.enumerated() {
            text += index > 0 ? "," + margin : margin
            if let name = element.name { text += "\(Self.quoted(name)): " }
            element.value.write(to: &text, indent: indent + 2)
        }
        text += "\n" + String(repeating: " ", count: indent) + close
    }

    /// Writes the value on one line; returns false as soon as the line has more than `limit` bytes.
    private func writeLine(to line: inout String, limit: Int) -> Bool {
        switch value {
        case .null: line += "null"
        case .bool(let bool): line += bool ? "true" : "false"
        case .number(let number): line += number
        case .string(let string): line += Self.quoted(string)
        case .array(let elements):
            line += "["
            for (index, element) in elements.enumerated() {
                if index > 0 { line += ", " }
                guard element.writeLine(to: &line, limit: limit) else { return false }
            }
            line += "]"
        case .object(let members):
            line += members.isEmpty ? "{" : "{ "
            for (index, member) in members.enumerated() {
                line += (index > 0 ? ", " : "") + Self.quoted(member.name) + ": "
                guard member.value.writeLine(to: &line, limit: limit) else { return false }
            }
            line += members.isEmpty ? "}" : " }"
        }
        return line.utf8.count <= limit
    }

    /// Returns `text` in quotation marks, escaped as JSON requires.
    public static func quoted(_ text: String) -> String {
        if text.utf8.allSatisfy({ 0x20..<0x7F ~= $0 || $0 == newline }) { return quotedASCII(text) }
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\t": quoted += "\\t"
            case "\r": quoted += "\\r"
            case let control where control.isTerminalControl: quoted += control.jsonEscape
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    private static let newline = UInt8(ascii: "\n")

    /// Quotes a text of printable ASCII and newlines, such as a recording: many times faster than the general case.
    private static func quotedASCII(_ text: String) -> String {
        let quote = UInt8(ascii: "\"")
        let backslash = UInt8(ascii: "\\")
        var quoted = [quote]
        quoted.reserveCapacity(text.utf8.count + 2)
        for byte in text.utf8 {
            if byte == quote || byte == backslash || byte == newline { quoted.append(backslash) }
            quoted.append(byte == newline ? UInt8(ascii: "n") : byte)
        }
        quoted.append(quote)
        return String(decoding: quoted, as: UTF8.self)
    }
}
