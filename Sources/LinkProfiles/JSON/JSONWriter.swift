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
            .object(
                members.compactMap { name, value in
                    value.map { Member(name: name, position: Position(line: 1, column: 1), value: $0) }
                }
            )
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
    public var text: String { render(indent: 0) }

    /// The value as text on one line.
    public var line: String { render(indent: nil) }

    private func render(indent: Int?) -> String {
        switch value {
        case .null: "null"
        case .bool(let bool): bool ? "true" : "false"
        case .number(let number): number
        case .string(let string): Self.quoted(string)
        case .array(let elements): Self.enclose(elements, ("[", "]"), indent) { $0.render(indent: $1) }
        case .object(let members):
            Self.enclose(members, ("{", "}"), indent) { "\(Self.quoted($0.name)): \($0.value.render(indent: $1))" }
        }
    }

    private static func enclose<Element>(
        _ elements: [Element],
        _ brackets: (open: String, close: String),
        _ indent: Int?,
        _ render: (Element, Int?) -> String
    ) -> String {
        guard !elements.isEmpty else { return brackets.open + brackets.close }
        let padding = brackets.open == "{" ? " " : ""
        let flat = elements.map { render($0, nil) }.joined(separator: ", ")
        guard let indent, indent == 0 || flat.count + indent > 96 else {
            return brackets.open + padding + flat + padding + brackets.close
        }
        let inner = String(repeating: " ", count: indent + 2)
        let lines = elements.map { inner + render($0, indent + 2) }.joined(separator: ",\n")
        return "\(brackets.open)\n\(lines)\n\(String(repeating: " ", count: indent))\(brackets.close)"
    }

    /// Returns `text` in quotation marks, escaped as JSON requires.
    public static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\t": quoted += "\\t"
            case "\r": quoted += "\\r"
            case let control where control.isTerminalControl:
                let code = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - code.count) + code
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
