// SPDX-License-Identifier: Apache-2.0

/// What can be made of a JSON value.
package protocol JSONReadable {
    /// Reads the value; nil where it is of another shape.
    init?(json: JSON)
}

extension JSON {
    /// Reads the member `name`; nil where there is none, too.
    package func required<Value: JSONReadable>(_ name: String) -> Value? {
        self[name].flatMap { Value(json: $0) }
    }

    /// Reads the member `name` of an object that need not have it: nil inside where there is none, nil itself where
    /// it is of another shape.
    package func optional<Value: JSONReadable>(_ name: String) -> Value?? {
        guard let json = self[name] else { return .some(nil) }
        return Value(json: json).map { .some($0) }
    }
}

extension Array: JSONReadable where Element: JSONReadable {
    package init?(json: JSON) {
        guard case .array(let elements) = json.value else { return nil }
        let values = elements.compactMap { Element(json: $0) }
        guard values.count == elements.count else { return nil }
        self = values
    }
}

extension String: JSONReadable {
    package init?(json: JSON) {
        guard case .string(let text) = json.value else { return nil }
        self = text
    }
}

extension Bool: JSONReadable {
    package init?(json: JSON) {
        guard case .bool(let bool) = json.value else { return nil }
        self = bool
    }
}

extension JSONReadable where Self: FixedWidthInteger {
    package init?(json: JSON) {
        guard case .number(let text) = json.value else { return nil }
        self.init(text)
    }
}

extension Int: JSONReadable {}
extension Int32: JSONReadable {}
extension Int64: JSONReadable {}
extension UInt16: JSONReadable {}
extension UInt32: JSONReadable {}
extension UInt64: JSONReadable {}

extension JSONReadable where Self: RawRepresentable<String> {
    package init?(json: JSON) {
        guard let name = String(json: json) else { return nil }
        self.init(rawValue: name)
    }
}

extension Lane: JSONReadable {
    package init?(json: JSON) {
        guard let name = String(json: json) else { return nil }
        self.init(name: name)
    }
}

extension Impairments: JSONReadable {}
