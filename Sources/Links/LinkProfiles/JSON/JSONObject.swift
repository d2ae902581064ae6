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
    @usableFromInline let object: JSON?
    @usableFromInline var written: [(String, JSON?)] = []
    @usableFromInline var isValid = true
    /// How many members of the object were asked for.
    private var knownCount = 0
    /// The member that names the case of an enumeration.
    @usableFromInline var caseKey = ""

    init(of object: JSON?) {
        self.object = object
        if object == nil { written.reserveCapacity(8) }
    }

    @usableFromInline
    mutating func member(_ name: String) -> JSON? {
        guard let member = object?[name] else { return nil }
        knownCount += 1
        return member
    }

    /// A member that every such object has.
    @inlinable
    package mutating func required<Value: JSONConvertible>(_ name: String, _ value: inout Value) {
        guard object != nil else { return written.append((name, value.json)) }
        if let read = member(name).flatMap({ Value(json: $0) }) { value = read } else { isValid = false }
    }

    /// A required member that is written and read in another way.
    package mutating func required<Value>(
        _ name: String,
        _ value: inout Value,
        write: (Value) -> JSON,
        read: (JSON) -> Value?
    ) {
        guard object != nil else { return written.append((name, write(value))) }
        if let read = member(name).flatMap(read) { value = read } else { isValid = false }
    }

    /// A member that is missing for nil.
    @inlinable
    package mutating func optional<Value: JSONConvertible>(_ name: String, _ value: inout Value?) {
        guard object != nil else { return written.append((name, value?.json)) }
        guard let member = member(name) else { return value = nil }
        if let read = Value(json: member) { value = read } else { isValid = false }
    }

    /// A member that is missing for the value `missing`.
    @inlinable
    package mutating func optional<Value: JSONConvertible & Equatable>(
        _ name: String,
        _ value: inout Value,
        default missing: Value
    ) {
        var given = value == missing ? nil : value
        optional(name, &given)
        value = given ?? missing
    }

    /// A member that is missing for nil. What is of another shape reads as nil, too.
    @inlinable
    package mutating func lenient<Value: JSONConvertible>(_ name: String, _ value: inout Value?) {
        guard object != nil else { return written.append((name, value?.json)) }
        value = member(name).flatMap { Value(json: $0) }
    }

    /// A required member that is written and read in another way.
    package mutating func lenient<Value>(
        _ name: String,
        _ value: inout Value?,
        write: (Value) -> JSON,
        read: (JSON) -> Value?
    ) {
        guard object != nil else { return written.append((name, value.map(write))) }
        value = member(name).flatMap(read)
    }

    /// A member that every such object has now. The value stays what it is in ``JSONObject/blank`` where the member is
    /// missing, or of another shape.
    @inlinable
    package mutating func lenient<Value: JSONConvertible>(_ name: String, _ value: inout Value) {
        guard object != nil else { return written.append((name, value.json)) }
        if let read = member(name).flatMap({ Value(json: $0) }) { value = read }
    }

    /// An array that is missing if it is empty.
    package mutating func list<Element: JSONConvertible>(_ name: String, _ elements: inout [Element]) {
        var list = elements.isEmpty ? nil : elements
        optional(name, &list)
        elements = list ?? []
    }

    /// A member that follows from others, or that is for other programs: reading passes over it.
    package mutating func writeOnly(_ name: String, _ value: @autoclosure () -> JSON?) {
        if object != nil { _ = member(name) } else { written.append((name, value())) }
    }

    /// Whether an object is read that has one of the members.
    package func contains(anyOf names: [String]) -> Bool {
        names.contains { object?[$0] != nil }
    }

    /// Refuses the object that is read: its members contradict each other.
    package mutating func refuse() { isValid = false }

    /// Refuses an object with members other than those that were named before.
    package mutating func refuseOthers() {
        if let object, object.members.count > knownCount { isValid = false }
    }
}
