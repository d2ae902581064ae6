// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import SandboxClient

/// Reads the members of a request's body, an object, and refuses the others.
struct FieldReader {
    private let body: JSON
    private var known: Set<String> = []

    /// The maximum length of a value in bytes: the kernel's limit of an argument is 128 KiB.
    private static let longest = 1 << 16
    /// The maximum number of values of one field.
    private static let most = 200

    /// - Parameter body: the body; nil is read as an empty object.
    init(_ body: JSON?) throws(ControlAPI.Answer) {
        self.body = body ?? JSON()
        guard case .object = self.body.value else {
            throw ControlAPI.refuse(.badRequest, "the body is \(self.body.kind); expected an object")
        }
    }

    mutating func text(_ name: String) throws(ControlAPI.Answer) -> String? {
        guard let value = member(name) else { return nil }
        return try text(value, name)
    }

    /// Reads a list of texts; one text stands for a list of one.
    mutating func texts(_ name: String) throws(ControlAPI.Answer) -> [String] {
        guard let value = member(name) else { return [] }
        guard case .array(let elements) = value.value else { return [try text(value, name)] }
        guard elements.count <= Self.most else { throw refuse(name, "has more than \(Self.most) values") }
        var texts: [String] = []
        for element in elements { texts.append(try text(element, name)) }
        return texts
    }

    mutating func flag(_ name: String) throws(ControlAPI.Answer) -> Bool {
        guard let value = member(name) else { return false }
        guard let flag = Bool(json: value) else { throw refuse(name, "is \(value.kind); expected true or false") }
        return flag
    }

    /// Refuses members that were not read.
    func finish() throws(ControlAPI.Answer) {
        guard let other = body.members.first(where: { !known.contains($0.name) }) else { return }
        throw refuse(other.name, "is not a field; expected \(known.sorted().joined(separator: ", "))")
    }

    private mutating func member(_ name: String) -> JSON? {
        known.insert(name)
        let value = body[name]
        if case .null? = value?.value { return nil }
        return value
    }

    /// A text, or a number as it is written, such as a port.
    private func text(_ value: JSON, _ name: String) throws(ControlAPI.Answer) -> String {
        switch value.value {
        case .string(let text), .number(let text):
            // The kernel ends an argument at the first zero byte.
            guard !text.utf8.contains(0) else { throw refuse(name, "has a zero byte") }
            guard text.utf8.count <= Self.longest else { throw refuse(name, "is too long") }
            return text
        default: throw refuse(name, "is \(value.kind); expected a string")
        }
    }

    private func refuse(_ name: String, _ words: String) -> ControlAPI.Answer {
        ControlAPI.refuse(.badRequest, "\(JSON.quoted(name)) \(words)", field: name)
    }
}

extension ControlAPI {
    /// Refuses a request because of one of its fields.
    static func refuse(_ refusal: Refusal, _ message: String, field: String) -> Answer {
        var answer = refuse(refusal, message)
        answer.body = answer.body?.replacing("field", field.json)
        return answer
    }
}
