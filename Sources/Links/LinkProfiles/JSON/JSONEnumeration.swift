// SPDX-License-Identifier: Apache-2.0

/// An enumeration whose JSON is an object: one member names the case, the other members are the associated values.
///
/// ```swift
/// case .mark(let name): members.case("mark", Self.mark, .required("name", name))
/// ```
package protocol JSONEnumeration: JSONObject, Sendable {
    /// The name of the member that names the case.
    static var caseKey: String { get }
    /// A value of each case that can be read.
    static var blanks: JSONBlanks<Self> { get }
    /// Passes the case and its associated values to `members`, which writes or reads them; returns the case with the
    /// values that were read.
    func described(by members: inout JSONMembers) -> Self
}

extension JSONEnumeration {
    package static var blank: Self { blanks.first }

    package mutating func describe(_ members: inout JSONMembers) {
        guard members.enter(Self.caseKey, &self) else { return members.refuse() }
        self = described(by: &members)
    }
}

/// A value of each case of an enumeration; the associated values are placeholders.
package struct JSONBlanks<Value: JSONEnumeration>: Sendable {
    fileprivate let first: Value
    private let byName: [String: Value]

    package init(_ first: Value, _ others: Value...) {
        self.first = first
        let names = ([first] + others).map { (JSONMembers.caseName(of: $0), $0) }
        byName = Dictionary(uniqueKeysWithValues: names)
    }

    /// The value of the case with this name in JSON; nil if there is none.
    package subscript(name: String) -> Value? { byName[name] }
}

// Inlinable, so that the compiler specializes parameter packs in other modules: without it, writing an event is slower.

/// An associated value, with the function that writes and reads it.
package struct JSONAssociated<Value> {
    @usableFromInline let value: Value
    @usableFromInline let describe: (inout JSONMembers, inout Value) -> Void

    @inlinable
    package init(_ value: Value, _ describe: @escaping (inout JSONMembers, inout Value) -> Void) {
        (self.value, self.describe) = (value, describe)
    }

    /// An associated object whose members are written into the case's object.
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
    /// Starts to write or read an enumeration. When reading, sets `value` to the placeholder of the case that the
    /// object names.
    ///
    /// - Returns: false if the object that is read names no known case.
    fileprivate mutating func enter<Value: JSONEnumeration>(_ key: String, _ value: inout Value) -> Bool {
        caseKey = key
        guard object != nil else { return true }
        guard let blank = member(key).flatMap({ String(json: $0) }).flatMap({ Value.blanks[$0] }) else { return false }
        value = blank
        return true
    }

    /// Writes or reads a case without associated values.
    @inlinable
    package mutating func `case`<Value>(_ name: String, _ value: Value) -> Value {
        if object == nil { written.append((caseKey, .text(name))) }
        return value
    }

    /// Writes or reads a case with associated values, from which `make` makes the case.
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

    /// The name of a case in JSON.
    fileprivate static func caseName(of value: some JSONEnumeration) -> String {
        var members = JSONMembers(of: nil)
        _ = value.described(by: &members)
        return members.written.first?.1.flatMap { String(json: $0) } ?? ""
    }
}
