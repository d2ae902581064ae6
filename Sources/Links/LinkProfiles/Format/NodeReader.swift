// SPDX-License-Identifier: Apache-2.0

/// A value of a JSON text with its path.
package struct Node {
    package let json: JSON
    package var path = JSONPath.root

    package init(json: JSON, path: JSONPath = .root) { (self.json, self.path) = (json, path) }

    /// The members of an object as nodes, in the order of the text.
    package var members: [(name: String, node: Node)] {
        json.members.map { ($0.name, Node(json: $0.value, path: path.appending($0.name))) }
    }

    /// The elements of an array; nil for any other value.
    package var elements: [Node]? {
        guard case .array(let elements) = json.value else { return nil }
        return elements.enumerated().map { Node(json: $1, path: path.appending($0)) }
    }

    package subscript(name: String) -> Node? {
        json[name].map { Node(json: $0, path: path.appending(name)) }
    }
}

/// Reads typed values from nodes, and collects all mistakes, so that they are reported together.
struct NodeReader {
    /// Whether to report figures beyond the limits of a profile.
    let isStrict: Bool
    private(set) var issues: [ProfileIssue] = []

    init(isStrict: Bool = true) { self.isStrict = isStrict }

    mutating func report(_ problem: String, at node: Node, expected: String? = nil, suggestion: String? = nil) {
        issues.append(
            ProfileIssue(
                path: node.path,
                position: node.json.position,
                problem: problem,
                expected: expected,
                suggestion: suggestion
            )
        )
    }

    /// Reports members of `node` other than `keys`; reports a `node` that is not an object, and returns false for it.
    mutating func isObject(_ node: Node, keys: [String], what: String) -> Bool {
        guard case .object(let members) = node.json.value else {
            report("found \(node.shown)", at: node, expected: what)
            return false
        }
        for member in members where !keys.contains(member.name) {
            let nearest = Spelling.meant(by: member.name, among: keys)
            issues.append(
                ProfileIssue(
                    path: node.path.appending(member.name),
                    position: member.position,
                    problem: "unknown key",
                    expected: nearest == nil ? "one of \(keys.joined(separator: ", "))" : nil,
                    suggestion: nearest
                )
            )
        }
        return true
    }

    /// Returns the only member of an object that must have exactly one of `keys`; reports a mistake if it does not.
    mutating func onlyMember(
        of node: Node,
        keys: [String],
        _ problems: (none: String, several: String),
        expected: String
    ) -> (name: String, node: Node)? {
        guard isObject(node, keys: keys, what: expected) else { return nil }
        let known = node.members.filter { keys.contains($0.name) }
        // `isObject` has reported unknown keys already.
        if known.count > 1 || node.members.isEmpty {
            report(known.isEmpty ? problems.none : problems.several, at: node, expected: expected)
        }
        return known.count == 1 ? known[0] : nil
    }

    /// Returns the elements of an array, at most `limit`; reports a mistake if it is empty or longer.
    mutating func elements(of node: Node, atMost limit: Int = .max, what: String, expected: String) -> [Node]? {
        guard let elements = node.elements else {
            report("found \(node.json.kind)", at: node, expected: expected)
            return nil
        }
        if elements.isEmpty { report("no \(what)", at: node, expected: expected) }
        if elements.count > limit { report("\(elements.count) \(what)", at: node, expected: "at most \(limit)") }
        // Elements beyond the limit are reported by their number: reading them would only take time.
        return Array(elements.prefix(limit))
    }

    /// Reads the member `name` with `read` if it is present.
    mutating func optional<Value>(
        _ name: String,
        of node: Node,
        _ read: (inout NodeReader, Node) -> Value?
    ) -> Value? {
        node[name].flatMap { read(&self, $0) }
    }

    /// Reads the member `name` with `read`; reports a mistake if it is absent.
    mutating func required<Value>(
        _ name: String,
        of node: Node,
        expected: String,
        _ read: (inout NodeReader, Node) -> Value?
    ) -> Value? {
        guard let member = node[name] else {
            // If the key is misspelt in this object, `isObject` has reported that already.
            let places = node.members.map(\.node.path)
            let isMisspelt = issues.contains { $0.suggestion == name && places.contains($0.path) }
            guard !isMisspelt else { return nil }
            report("the key \"\(name)\" is missing", at: node, expected: expected)
            return nil
        }
        return read(&self, member)
    }

    /// Reports a value that is not as expected; returns nil.
    private mutating func unexpected<Value>(_ node: Node, expected: String, suggestion: String? = nil) -> Value? {
        report("found \(node.shown)", at: node, expected: expected, suggestion: suggestion)
        return nil
    }

    mutating func string(_ node: Node) -> String? {
        String(json: node.json) ?? unexpected(node, expected: "a string")
    }

    mutating func bool(_ node: Node) -> Bool? {
        Bool(json: node.json) ?? unexpected(node, expected: "true or false")
    }

    mutating func integer<Number: FixedWidthInteger & JSONConvertible>(
        _ node: Node,
        in range: ClosedRange<Number>
    ) -> Number? {
        guard let number = Number(json: node.json), range.contains(number) || !isStrict else {
            return unexpected(node, expected: "a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    mutating func number(_ node: Node, in range: ClosedRange<Double>) -> Double? {
        guard case .number(let text) = node.json.value, let number = Double(text), range.contains(number) else {
            return unexpected(node, expected: "a number from \(range.lowerBound.short) to \(range.upperBound.short)")
        }
        return number
    }

    /// Reads a string as a quantity; a number without a unit is a mistake.
    mutating func quantity<Value>(
        _ node: Node,
        expected: String,
        _ parse: (String) -> Result<Value, UnreadableQuantity>
    ) -> Value? {
        let (text, isText): (String, Bool)
        switch node.json.value {
        case .string(let string): (text, isText) = (string, true)
        case .number(let number): (text, isText) = (number, false)
        default: return unexpected(node, expected: expected)
        }
        switch parse(text) {
        case .success(let value) where isText: return value
        case .success: report("\(text) has no unit", at: node, expected: expected)
        case .failure(let error):
            let shown = isText ? JSON.quoted(text.shortened) : text.shortened
            report("\(shown) \(error.reason)", at: node, expected: error.expected, suggestion: error.suggestion)
        }
        return nil
    }

    mutating func rate(_ node: Node) -> BitRate? {
        let maximum = isStrict ? BitRate.quantity.maximum : .max
        return quantity(node, expected: BitRate.quantity.expectation) {
            BitRate.quantity.parse($0, maximum: maximum).map(BitRate.init(bitsPerSecond:))
        }
    }

    /// - Parameter quantity: the times, with the unit to suggest for a number without one.
    mutating func duration(_ node: Node, _ quantity: Quantity = Duration.quantity) -> Duration? {
        let isStrict = isStrict
        return self.quantity(node, expected: quantity.expectation) { text in
            guard !isStrict else { return quantity.parse(text).map { .nanoseconds(Int64($0)) } }
            let isNegative = text.hasPrefix("-")
            return quantity.parse(isNegative ? String(text.dropFirst()) : text, maximum: .max).map {
                .nanoseconds(isNegative ? -Int64(clamping: $0) : Int64(clamping: $0))
            }
        }
    }

    mutating func probability(_ node: Node) -> Probability? {
        quantity(node, expected: Probability.quantity.expectation, Probability.parse)
    }

    mutating func choice<Choice: RawRepresentable & CaseIterable>(_ node: Node) -> Choice?
    where Choice.RawValue == String {
        let names = Choice.allCases.map(\.rawValue)
        let text = String(json: node.json) ?? ""
        guard let choice = Choice(rawValue: text) else {
            let nearest = Spelling.nearest(to: text, among: names)
            return unexpected(node, expected: "one of \(names.joined(separator: ", "))", suggestion: nearest)
        }
        return choice
    }
}

extension Node {
    /// The value as shown in messages: scalars as written, other values by their kind.
    var shown: String {
        switch json.value {
        case .string(let text): JSON.quoted(text.shortened)
        case .number(let text): text.shortened
        case .bool(let bool): bool ? "true" : "false"
        case .null, .array, .object: json.kind
        }
    }
}

extension Double {
    /// The number, without a fraction if it is whole: "3", "2.5".
    var short: String { self == rounded() && magnitude < 1e15 ? String(Int64(self)) : String(self) }
}
