// SPDX-License-Identifier: Apache-2.0

/// A JSON value (RFC 8259) that remembers where in its text it stood.
///
/// An own reader, because a profile's mistakes are reported all at once, each with path, line and column,
/// duplicate names included; Foundation's decoders stop at the first and know no positions.
public struct JSON: Sendable {
    /// What the value is.
    public enum Content: Sendable {
        /// The literal null.
        case null
        /// The literals true and false.
        case bool(Bool)
        /// A number as it was spelled, so that nothing is rounded before somebody asks.
        case number(String)
        /// A text, unescaped.
        case string(String)
        /// A list in brackets.
        case array([JSON])
        /// Names and values in the order of the text.
        case object([Member])
    }

    /// One name and value of an object.
    public struct Member: Sendable {
        /// The name, unescaped.
        public let name: String
        /// Where the name begins.
        public let position: Position
        /// What stands behind the colon.
        public let value: JSON
    }

    /// A place in a text, counted from 1; columns count Unicode scalars.
    public struct Position: Hashable, Sendable {
        /// The line.
        public let line: Int
        /// The column.
        public let column: Int
    }

    /// What the value is.
    public let value: Content
    /// Where the value begins; 1:1 in a value that was not read.
    public let position: Position

    /// Makes a value that was not read from a text.
    public init(_ value: Content) {
        self.init(value, at: Position(line: 1, column: 1))
    }

    init(_ value: Content, at position: Position) {
        self.value = value
        self.position = position
    }

    /// The value's kind with its article, for messages: "a number".
    public var kind: String {
        switch value {
        case .null: "null"
        case .bool: "true or false"
        case .number: "a number"
        case .string: "a text"
        case .array: "a list"
        case .object: "an object"
        }
    }

    /// The value of the member `name`, if this is an object that has it.
    public subscript(name: String) -> JSON? {
        guard case .object(let members) = value else { return nil }
        return members.last { $0.name == name }?.value
    }
}

/// The way from the root of a document to one of its values, printed as in RFC 9535: `$.downlink.rate`.
public struct JSONPath: Hashable, Sendable, CustomStringConvertible {
    /// The path's text.
    public let description: String

    /// The document itself.
    public static let root = JSONPath(description: "$")

    /// The path of the member `name` below this.
    public func appending(_ name: String) -> JSONPath {
        let isPlain = name.first?.isNumber == false && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
        return JSONPath(description: isPlain ? "\(description).\(name)" : "\(description)[\(JSON.quoted(name))]")
    }

    /// The path of the element `index` below this.
    public func appending(_ index: Int) -> JSONPath {
        JSONPath(description: "\(description)[\(index)]")
    }
}
