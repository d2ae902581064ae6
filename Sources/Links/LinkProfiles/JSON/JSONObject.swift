// SPDX-License-Identifier: Apache-2.0

/// A value with properties that are members of a JSON object. One function names them for both directions.
package protocol JSONObject: JSONConvertible {
    /// Any value; reading sets its properties.
    static var blank: Self { get }
    /// Passes each property to `members`, which reads or sets it.
    mutating func describe(_ members: inout JSONMembers)
}

extension JSONObject {
    package var json: JSON { written }

    /// Ignores members that it does not know.
    package init?(json: JSON) {
        self.init(reading: json)
    }

    /// Writes the value, as `json` does; for types that make that public.
    package var written: JSON {
        var (value, members) = (self, JSONMembers(of: nil))
        value.describe(&members)
        return JSON(members: members.written)
    }

    /// Reads a value, as `init(json:)` does.
    package init?(reading json: JSON) {
        var (value, members) = (Self.blank, JSONMembers(of: json))
        value.describe(&members)
        guard members.isValid else { return nil }
        self = value
    }
}

/// The members of an object that is written or read.
package struct JSONMembers {
    /// The object to read; nil to write one.
    private let object: JSON?
    fileprivate private(set) var written: [(String, JSON?)] = []
    fileprivate private(set) var isValid = true

    fileprivate init(of object: JSON?) {
        self.object = object
    }

    /// A member that every such object has.
    package mutating func required<Value: JSONConvertible>(_ name: String, _ value: inout Value) {
        required(name, &value, write: \.json) { Value(json: $0) }
    }

    /// The same for a value that is written and read in another way.
    package mutating func required<Value>(
        _ name: String,
        _ value: inout Value,
        write: (Value) -> JSON,
        read: (JSON) -> Value?
    ) {
        guard let object else { return written.append((name, write(value))) }
        if let read = object[name].flatMap(read) { value = read } else { isValid = false }
    }

    /// A member that is missing for nil.
    package mutating func optional<Value: JSONConvertible>(_ name: String, _ value: inout Value?) {
        guard let object else { return written.append((name, value?.json)) }
        if let read: Value? = object.optional(name) { value = read } else { isValid = false }
    }

    /// An array that is missing if it is empty.
    package mutating func list<Element: JSONConvertible>(_ name: String, _ elements: inout [Element]) {
        var list = elements.isEmpty ? nil : elements
        optional(name, &list)
        elements = list ?? []
    }

    /// Whether an object is read that has one of the members.
    package func contains(anyOf names: [String]) -> Bool {
        names.contains { object?[$0] != nil }
    }

    /// Refuses the object that is read: its members contradict each other.
    package mutating func refuse() { isValid = false }
}
