// SPDX-License-Identifier: Apache-2.0

/// A JSON value (RFC 8259) with its position in the text.
///
/// Foundation's decoders stop at the first mistake, accept duplicate keys and give no positions; profiles need all
/// mistakes at once, each with path, line and column.
public struct JSON: Sendable {
    /// The value.
    public enum Content: Sendable {
        /// The literal null.
        case null
        /// The literals true and false.
        case bool(Bool)
        /// A number as it is written, so that reading does not round it.
        case number(String)
        /// A string, unescaped.
        case string(String)
        /// An array.
        case array([JSON])
        /// An object, with its members in the order of the text.
        case object([Member])
    }

    /// A member of an object.
    public struct Member: Sendable {
        /// The name, unescaped.
        public let name: String
        /// The position of the name.
        public let position: Position
        /// The value.
        public let value: JSON

        package init(name: String, position: Position, value: JSON) {
            (self.name, self.position, self.value) = (name, position, value)
        }
    }

    /// A position in a text, counted from 1; columns count Unicode scalars.
    public struct Position: Hashable, Sendable {
        /// The line.
        public let line: Int
        /// The column.
        public let column: Int

        static let start = Position(line: 1, column: 1)

        package init(line: Int, column: Int) { (self.line, self.column) = (line, column) }
    }

    /// The value.
    public let value: Content
    /// The position of the value; 1:1 for a value that was not read from a text.
    public let position: Position

    /// Makes a value that was not read from a text.
    public init(_ value: Content) {
        self.init(value, at: .start)
    }

    package init(_ value: Content, at position: Position) {
        self.value = value
        self.position = position
    }

    /// The kind of the value with its article, for messages: "a number".
    public var kind: String {
        switch value {
        case .null: "null"
        case .bool: "true or false"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }

    /// The value of the member `name`; nil if this is not an object or has no such member.
    public subscript(name: String) -> JSON? {
        members.last { $0.name == name }?.value
    }
}

/// The path of a value in a JSON document, written as in RFC 9535: `$.downlink.rate`.
public struct JSONPath: Hashable, Sendable, CustomStringConvertible {
    /// The path's text.
    public let description: String

    /// The path of the document itself.
    public static let root = JSONPath(description: "$")

    /// Returns the path of the member `name` of this value.
    public func appending(_ name: String) -> JSONPath {
        let isPlain = name.first?.isNumber == false && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
        return JSONPath(description: isPlain ? "\(description).\(name)" : "\(description)[\(JSON.quoted(name))]")
    }

    /// Returns the path of the element `index` of this value.
    public func appending(_ index: Int) -> JSONPath {
        JSONPath(description: "\(description)[\(index)]")
    }
}
