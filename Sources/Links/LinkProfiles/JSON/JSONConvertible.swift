// SPDX-License-Identifier: Apache-2.0

package import InternetAddresses

/// A type that JSON can be made of and read from.
package protocol JSONConvertible {
    /// The value as JSON, which reads back as the same value.
    var json: JSON { get }
    /// Reads the value; nil if it is of another shape.
    init?(json: JSON)
}

extension JSON {
    /// Reads the member `name`; nil if there is none, too.
    package func required<Value: JSONConvertible>(_ name: String) -> Value? {
        self[name].flatMap { Value(json: $0) }
    }

    /// Reads the member `name` of an object that need not have it: nil inside where there is none, nil itself where
    /// it is of another shape.
    package func optional<Value: JSONConvertible>(_ name: String) -> Value?? {
        guard let json = self[name] else { return .some(nil) }
        return Value(json: json).map { .some($0) }
    }
}

extension Array: JSONConvertible where Element: JSONConvertible {
    package var json: JSON { .list(map(\.json)) }

    package init?(json: JSON) {
        guard case .array(let elements) = json.value else { return nil }
        let values = elements.compactMap { Element(json: $0) }
        guard values.count == elements.count else { return nil }
        self = values
    }
}

extension String: JSONConvertible {
    package var json: JSON { JSON(.string(self)) }

    package init?(json: JSON) {
        guard case .string(let text) = json.value else { return nil }
        self = text
    }
}

extension Bool: JSONConvertible {
    package var json: JSON { JSON(.bool(self)) }

    package init?(json: JSON) {
        guard case .bool(let bool) = json.value else { return nil }
        self = bool
    }
}

extension JSONConvertible where Self: FixedWidthInteger {
    package var json: JSON { JSON(.number(String(self))) }

    package init?(json: JSON) {
        guard case .number(let text) = json.value else { return nil }
        self.init(text)
    }
}

extension Int: JSONConvertible {}
extension Int32: JSONConvertible {}
extension Int64: JSONConvertible {}
extension UInt16: JSONConvertible {}
extension UInt32: JSONConvertible {}
extension UInt64: JSONConvertible {}

extension JSONConvertible where Self: RawRepresentable<String> {
    package var json: JSON { rawValue.json }

    package init?(json: JSON) {
        guard let name = String(json: json) else { return nil }
        self.init(rawValue: name)
    }
}

/// As text.
extension JSONConvertible where Self: LosslessStringConvertible {
    package var json: JSON { description.json }

    package init?(json: JSON) {
        guard let text = String(json: json) else { return nil }
        self.init(text)
    }
}

extension Duration: JSONConvertible {
    /// In nanoseconds.
    package var json: JSON { nanoseconds.json }

    package init?(json: JSON) {
        guard let nanoseconds = Int64(json: json) else { return nil }
        self = .nanoseconds(nanoseconds)
    }
}

extension IPAddress: JSONConvertible {}
extension TransportProtocol: JSONConvertible {}
extension IPv6Support: JSONConvertible {}

extension Lane: JSONConvertible {
    package var json: JSON { name.json }

    package init?(json: JSON) {
        guard let name = String(json: json) else { return nil }
        self.init(name: name)
    }
}

extension Impairments: JSONConvertible {}
