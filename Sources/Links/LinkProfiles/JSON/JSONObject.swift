// SPDX-License-Identifier: Apache-2.0

/// A value whose properties are members of a JSON object. One function, `describe`, serves both writing and reading.
package protocol JSONObject: JSONConvertible {
    /// A placeholder value, whose properties are set when an object is read.
    static var blank: Self { get }
    /// Passes each property to `members`, which writes it to JSON or sets it from JSON.
    mutating func describe(_ members: inout JSONMembers)
}

extension JSONObject {
    package var json: JSON { written }

    /// Reads a value; ignores unknown members.
    package init?(json: JSON) {
        self.init(reading: json)
    }

    /// The default implementation of `json`; for types that declare a public `json`.
    package var written: JSON {
        var (value, members) = (self, JSONMembers(of: nil))
        value.describe(&members)
        return JSON(members: members.written)
    }

    /// The default implementation of `init(json:)`; for types that declare a public one.
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
    /// The number of members of the object that were read by name.
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

    /// Writes or reads a required member.
    @inlinable
    package mutating func required<Value: JSONConvertible>(_ name: String, _ value: inout Value) {
        guard object != nil else { return written.append((name, value.json)) }
        if let read = member(name).flatMap({ Value(json: $0) }) { value = read } else { isValid = false }
    }

    /// Writes or reads a required member with the given functions.
    package mutating func required<Value>(
        _ name: String,
        _ value: inout Value,
        write: (Value) -> JSON,
        read: (JSON) -> Value?
    ) {
        guard object != nil else { return written.append((name, write(value))) }
        if let read = member(name).flatMap(read) { value = read } else { isValid = false }
    }

    /// Writes or reads an optional member, which is left out for nil.
    @inlinable
    package mutating func optional<Value: JSONConvertible>(_ name: String, _ value: inout Value?) {
        guard object != nil else { return written.append((name, value?.json)) }
        guard let member = member(name) else { return value = nil }
        if let read = Value(json: member) { value = read } else { isValid = false }
    }

    /// Writes or reads an optional member, which is left out for the value `missing`.
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

    /// Writes or reads an optional member, which is left out for nil. A value of unexpected structure is read as nil,
    /// too.
    @inlinable
    package mutating func lenient<Value: JSONConvertible>(_ name: String, _ value: inout Value?) {
        guard object != nil else { return written.append((name, value?.json)) }
        value = member(name).flatMap { Value(json: $0) }
    }

    /// Writes or reads an optional member with the given functions, left out for nil. An unreadable value is read as
    /// nil.
    package mutating func lenient<Value>(
        _ name: String,
        _ value: inout Value?,
        write: (Value) -> JSON,
        read: (JSON) -> Value?
    ) {
        guard object != nil else { return written.append((name, value.map(write))) }
        value = member(name).flatMap(read)
    }

    /// Writes a member always. When reading, keeps the value of ``JSONObject/blank`` if the member is missing or has an
    /// unexpected structure.
    @inlinable
    package mutating func lenient<Value: JSONConvertible>(_ name: String, _ value: inout Value) {
        guard object != nil else { return written.append((name, value.json)) }
        if let read = member(name).flatMap({ Value(json: $0) }) { value = read }
    }

    /// Writes or reads an array, which is left out if it is empty.
    package mutating func list<Element: JSONConvertible>(_ name: String, _ elements: inout [Element]) {
        var list = elements.isEmpty ? nil : elements
        optional(name, &list)
        elements = list ?? []
    }

    /// Writes a member that is for other programs or follows from other members; reading ignores it.
    package mutating func writeOnly(_ name: String, _ value: @autoclosure () -> JSON?) {
        if object != nil { _ = member(name) } else { written.append((name, value())) }
    }

    /// Whether an object is being read that has at least one of the members `names`.
    package func contains(anyOf names: [String]) -> Bool {
        names.contains { object?[$0] != nil }
    }

    /// Rejects the object that is being read, because its members contradict each other.
    package mutating func refuse() { isValid = false }

    /// Rejects an object with members besides those that were read before this call.
    package mutating func refuseOthers() {
        if let object, object.members.count > knownCount { isValid = false }
    }
}
