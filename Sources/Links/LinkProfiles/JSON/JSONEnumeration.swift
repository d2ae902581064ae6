// SPDX-License-Identifier: Apache-2.0

/// An enumeration that is written as an object: one member names the case, the others are the associated values.
///
/// ```swift
/// case .mark(let name): members.case("mark", Self.mark, .required("name", name))
/// ```
package protocol JSONEnumeration: JSONObject, Sendable {
    /// The member that names the case.
    static var caseKey: String { get }
    /// A value of each case that is read.
    static var blanks: JSONBlanks<Self> { get }
    /// Passes the case with its associated values to `members`, which reads or writes these; returns what it makes of them.
    func described(by members: inout JSONMembers) -> Self
}

extension JSONEnumeration {
    package static var blank: Self { blanks.first }

    package mutating func describe(_ members: inout JSONMembers) {
        guard members.enter(Self.caseKey, &self) else { return members.refuse() }
        self = described(by: &members)
    }
}

/// A value of each case of an enumeration, whose associated values do not matter.
package struct JSONBlanks<Value: JSONEnumeration>: Sendable {
    fileprivate let first: Value
    private let byName: [String: Value]

    package init(_ first: Value, _ others: Value...) {
        self.first = first
        let names = ([first] + others).map { (JSONMembers.caseName(of: $0), $0) }
        byName = Dictionary(uniqueKeysWithValues: names)
    }

    /// The value of the case that is written by this name; nil if there is none.
    package subscript(name: String) -> Value? { byName[name] }
}

// Inlinable: unspecialised, packs of generic values would take half as long again as the writing of an event.

/// An associated value, and how it is written and read.
package struct JSONAssociated<Value> {
    @usableFromInline let value: Value
    @usableFromInline let describe: (inout JSONMembers, inout Value) -> Void

    @inlinable
    package init(_ value: Value, _ describe: @escaping (inout JSONMembers, inout Value) -> Void) {
        (self.value, self.describe) = (value, describe)
    }

    /// A value whose members are those of the case.
    @inlinable
    package static func members(_ value: Value) -> Self where Value: JSONObject {
        Self(value) { $1.describe(&$0) }
    }

    @inlinable
    package static func required(_ name: String, _ value: Value) -> Self where Value: JSONConvertible {
        Self(value) { $0.required(name, &$1) }
    }

    @inlinable
    package static func optional<Some: JSONConvertible>(_ name: String, _ value: Value) -> Self where Value == Some? {
        Self(value) { $0.optional(name, &$1) }
    }

    @inlinable
    package static func lenient<Some: JSONConvertible>(_ name: String, _ value: Value) -> Self where Value == Some? {
        Self(value) { $0.lenient(name, &$1) }
    }
}

extension JSONMembers {
    /// Begins to write an enumeration, or to read one, of which `value` then is the case that the object names.
    ///
    /// - Returns: false if the object names none.
    fileprivate mutating func enter<Value: JSONEnumeration>(_ key: String, _ value: inout Value) -> Bool {
        caseKey = key
        guard object != nil else { return true }
        guard let blank = member(key).flatMap({ String(json: $0) }).flatMap({ Value.blanks[$0] }) else { return false }
        value = blank
        return true
    }

    /// A case without associated values.
    @inlinable
    package mutating func `case`<Value>(_ name: String, _ value: Value) -> Value {
        if object == nil { written.append((caseKey, .text(name))) }
        return value
    }

    /// A case that `make` makes of its associated values.
    @inlinable
    package mutating func `case`<Value, each Associated>(
        _ name: String,
        _ make: (repeat each Associated) -> Value,
        _ values: repeat JSONAssociated<each Associated>
    ) -> Value {
        if object == nil { written.append((caseKey, .text(name))) }
        return make(repeat described(each values))
    }

    @inlinable
    mutating func described<Value>(_ associated: JSONAssociated<Value>) -> Value {
        var value = associated.value
        associated.describe(&self, &value)
        return value
    }

    /// The name by which a case is written.
    fileprivate static func caseName(of value: some JSONEnumeration) -> String {
        var members = JSONMembers(of: nil)
        _ = value.described(by: &members)
        return members.written.first?.1.flatMap { String(json: $0) } ?? ""
    }
}
