// SPDX-License-Identifier: Apache-2.0

extension Scenario {
    /// The largest accepted size of a scenario's text.
    public static let maximumBytes = Profile.maximumBytes
    /// The largest number of steps.
    public static let maximumSteps = 1000
    /// The largest number of times that the steps run.
    public static let maximumRepeat = 1000

    /// Whether a JSON value describes a scenario and not a profile.
    public static func isDescribed(by json: JSON) -> Bool {
        if ["profile", "expect"].contains(where: { json[$0] != nil }) { return true }
        return json["steps"] != nil && ["downlink", "uplink", "dns", "schedule"].allSatisfy { json[$0] == nil }
    }

    /// Reads a scenario from a JSON value.
    ///
    /// - Throws: `InvalidProfile` with every mistake of the value.
    public init(json: JSON) throws(InvalidProfile) {
        let draft = ScenarioDraft(json: json)
        guard let scenario = draft.scenario else { throw InvalidProfile(issues: draft.issues) }
        self = scenario
    }

    /// Reads a scenario from the UTF-8 text of a JSON file.
    ///
    /// - Throws: `InvalidProfile` with every mistake of the text.
    public init(utf8 bytes: some Sequence<UInt8>) throws(InvalidProfile) {
        try self.init(json: JSON(readable: bytes))
    }
}

/// What could be read of a scenario, which may have mistakes: the rest of it can be checked for more of them.
package struct ScenarioDraft {
    /// The scenario; nil if it has mistakes.
    package let scenario: Scenario?
    /// The profiles that it names or contains, as far as they could be read.
    package let references: [ProfileReference]
    /// The expectations, as far as they could be read.
    package let expect: [LocatedText]
    /// The labels of the steps, as far as they could be read.
    package let labels: [String]
    /// The mistakes, in the order of the text.
    package let issues: [ProfileIssue]

    /// Reads `json`.
    package init(json: JSON) {
        var reader = NodeReader()
        let scenario = reader.scenario(Node(json: json, path: .root))
        issues = reader.issues.sorted { $0.position < $1.position }
        self.scenario = issues.isEmpty ? scenario?.complete : nil
        references = scenario.map { [$0.profile].compactMap { $0 } + $0.steps.compactMap(\.profile) } ?? []
        expect = scenario?.expect ?? []
        labels = scenario?.steps.compactMap(\.label) ?? []
    }
}

/// A scenario with what was valid in its text.
private struct ReadScenario {
    var name: String?
    var summary: String?
    var profile: ProfileReference?
    var steps: [ReadStep] = []
    var count: Int?
    var expect: [LocatedText] = []

    var complete: Scenario? {
        guard let name, let profile else { return nil }
        let steps = steps.compactMap(\.complete)
        guard steps.count == self.steps.count else { return nil }
        var scenario = Scenario(name: name, profile: profile, steps: steps, repeat: count ?? 1, expect: expect)
        scenario.summary = summary
        return scenario
    }
}

private struct ReadStep {
    var label: String?
    var after: Trigger?
    var profile: ProfileReference?

    var complete: Scenario.Step? {
        guard let label, let after, let profile else { return nil }
        return Scenario.Step(label: label, after: after, profile: profile)
    }
}

extension NodeReader {
    fileprivate mutating func scenario(_ node: Node) -> ReadScenario? {
        let isProfile = ["downlink", "uplink", "dns", "schedule"].contains { node[$0] != nil }
        guard !isProfile || Scenario.isDescribed(by: node.json) else {
            report("this is a profile", at: node, expected: "a scenario")
            return nil
        }
        let keys = ["name", "summary", "profile", "steps", "repeat", "expect", "$schema"]
        guard isObject(node, keys: keys, what: "an object that describes a scenario") else { return nil }
        _ = optional("$schema", of: node) { $0.string($1) }
        var result = ReadScenario()
        result.name = required("name", of: node, expected: "a name") { $0.name($1) }
        result.summary = optional("summary", of: node) { $0.line($1) }
        result.profile = required("profile", of: node, expected: Self.referenceExpectation) { $0.reference($1) }
        result.steps = optional("steps", of: node) { $0.scenarioSteps($1) } ?? []
        result.count = optional("repeat", of: node) { $0.integer($1, in: 1...Scenario.maximumRepeat) }
        result.expect = optional("expect", of: node) { $0.expectations($1) } ?? []
        return result
    }

    private static let referenceExpectation = "a profile's name, or a profile"

    private mutating func reference(_ node: Node) -> ProfileReference? {
        switch node.json.value {
        case .string(let name):
            guard name.contains(where: { $0.isLetter || $0.isNumber }) else {
                report("the profile's name has no letter and no digit", at: node)
                return nil
            }
            return ProfileReference(.named(name), path: node.path, position: node.json.position)
        case .object:
            let before = issues.count
            guard let profile = profile(node), issues.count == before else { return nil }
            return ProfileReference(.inline(profile), path: node.path, position: node.json.position)
        default:
            report("found \(node.json.kind)", at: node, expected: Self.referenceExpectation)
            return nil
        }
    }

    private mutating func scenarioSteps(_ node: Node) -> [ReadStep]? {
        let example = "an array such as [{\"label\": \"away\", \"after\": \"20 s\", \"profile\": \"Black Hole\"}]"
        guard let elements = elements(of: node, atMost: Scenario.maximumSteps, what: "steps", expected: example) else {
            return nil
        }
        var paths: [String: JSONPath] = [:]
        return elements.map { element in
            guard isObject(element, keys: ["label", "after", "profile"], what: "a step: an object") else {
                return ReadStep()
            }
            var step = ReadStep()
            step.label = required("label", of: element, expected: "a name for the step") { $0.label($1) }
            step.after = required("after", of: element, expected: Self.triggerExpectation) { $0.trigger($1) }
            step.profile = required("profile", of: element, expected: Self.referenceExpectation) { $0.reference($1) }
            if let label = step.label, let place = element["label"] {
                if let other = paths[label] {
                    report("the label \(JSON.quoted(label)) is taken by \(other)", at: place, expected: "another label")
                } else {
                    paths[label] = element.path
                }
            }
            return step
        }
    }

    private mutating func label(_ node: Node) -> String? {
        guard let text = string(node) else { return nil }
        guard let problem = Label.problem(with: text) else { return text }
        report("the label \(problem)", at: node)
        return nil
    }

    private static let triggerExpectation =
        "a time such as \"20 s\", or {\"bytes\": \"10 kB\"}, {\"connections\": 2} or {\"mark\": \"cancelled\"}"

    private mutating func trigger(_ node: Node) -> Trigger? {
        switch node.json.value {
        case .string, .number: return duration(node).map(Trigger.time)
        default: break
        }
        let kinds = ["bytes", "connections", "mark"]
        guard isObject(node, keys: kinds, what: Self.triggerExpectation) else { return nil }
        let known = node.members.filter { kinds.contains($0.name) }
        guard let kind = known.first, known.count == 1 else {
            // Unknown keys are reported already.
            if known.count > 1 || node.members.isEmpty {
                let problem = known.isEmpty ? "waits for nothing" : "waits for several things at once"
                report(problem, at: node, expected: Self.triggerExpectation)
            }
            return nil
        }
        switch kind.name {
        case "bytes": return byteCount(kind.node).map(Trigger.bytes)
        case "connections": return integer(kind.node, in: 1...1_000_000).map(Trigger.connections)
        default: return label(kind.node).map(Trigger.mark)
        }
    }

    private mutating func byteCount(_ node: Node) -> ByteCount? {
        let count = quantity(node, expected: ByteCount.quantity.expectation) {
            ByteCount.quantity.parse($0).map(ByteCount.init(bytes:))
        }
        guard let count, count.bytes == 0 else { return count }
        let expected = "at least 1 byte, or \"after\": \"0 s\""
        report("a step that waits for no bytes begins at once", at: node, expected: expected)
        return nil
    }

    private mutating func expectations(_ node: Node) -> [LocatedText]? {
        let example = "an array such as [\"leaves no connection open\"]"
        return elements(of: node, atMost: Scenario.maximumSteps, what: "expectations", expected: example)?.compactMap {
            element in
            guard let text = line(element) else { return nil }
            return LocatedText(text, path: element.path, position: element.json.position)
        }
    }

    /// The elements of an array that is neither empty nor too long.
    private mutating func elements(of node: Node, atMost limit: Int, what: String, expected: String) -> [Node]? {
        guard case .array(let elements) = node.json.value else {
            report("found \(node.json.kind)", at: node, expected: expected)
            return nil
        }
        if elements.isEmpty { report("no \(what)", at: node, expected: expected) }
        if elements.count > limit { report("\(elements.count) \(what)", at: node, expected: "at most \(limit)") }
        return elements.indices.compactMap { node.element($0) }
    }
}
