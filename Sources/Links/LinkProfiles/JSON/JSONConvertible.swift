// SPDX-License-Identifier: Apache-2.0

package import InternetAddresses

/// A type whose values can be written as JSON and read from it.
package protocol JSONConvertible {
    /// The value as JSON, from which `init(json:)` reads the same value.
    var json: JSON { get }
    /// Reads a value; nil if `json` does not have the expected structure.
    init?(json: JSON)
}

extension JSON {
    /// Reads the member `name`; nil if it is missing or does not have the expected structure.
    package func required<Value: JSONConvertible>(_ name: String) -> Value? {
        self[name].flatMap { Value(json: $0) }
    }

    /// Reads the optional member `name`: returns `.some(nil)` if it is missing, and nil if it does not have the
    /// expected structure.
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

/// Converts to and from a JSON string with the description.
extension JSONConvertible where Self: LosslessStringConvertible {
    package var json: JSON { description.json }

    package init?(json: JSON) {
        guard let text = String(json: json) else { return nil }
        self.init(text)
    }
}

extension Duration: JSONConvertible {
    /// The duration as a number of nanoseconds.
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
