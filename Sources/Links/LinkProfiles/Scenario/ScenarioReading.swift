// SPDX-License-Identifier: Apache-2.0

extension Scenario {
    /// The largest accepted size of a scenario's text.
    public static let maximumBytes = Profile.maximumBytes
    /// The largest number of steps.
    public static let maximumSteps = 1000
    /// The largest number of uplinks at once.
    public static let maximumPaths = 3
    /// The largest number of times that the steps run.
    public static let maximumRepeat = 1000

    /// Whether a JSON value describes a scenario and not a profile.
    public static func isDescribed(by json: JSON) -> Bool {
        if ["profile", "paths", "expect"].contains(where: { json[$0] != nil }) { return true }
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

extension Scenario.Path {
    /// The reason why `name` is not valid for a path's interface; nil if it is valid.
    package static func problem(with name: String) -> String? {
        // include/uapi/linux/if.h, IFNAMSIZ. "lo" exists already; "all" and "default" are directories in /proc/sys/net.
        let others: Set<Character> = ["-", "_", "."]
        let isWord =
            name.utf8.count < 16 && name.first?.isLetter == true && !["lo", "all", "default"].contains(name)
        return isWord && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || others.contains($0)) }
            ? nil
            : "is none that an interface can have here: a letter, then letters, digits, '-', '_' or '.', 15 at most"
    }
}

/// The parts that could be read from a scenario with mistakes, so that further checks can report more mistakes.
package struct ScenarioDraft {
    /// The scenario; nil if it has mistakes.
    package private(set) var scenario: Scenario?
    /// The references to profiles, as far as they could be read.
    package private(set) var references: [ProfileReference] = []
    /// The expectations, as far as they could be read.
    package private(set) var expect: [LocatedText] = []
    /// The labels of the steps, and the names of the marks that steps wait for, as far as they could be read.
    package private(set) var labels: [String] = []
    /// The keys by which steps change the network, with their positions.
    package private(set) var changes: [LocatedText] = []
    /// The mistakes, in the order of the text.
    package private(set) var issues: [ProfileIssue] = []

    package init(json: JSON) {
        var reader = NodeReader()
        read(Node(json: json), with: &reader)
        issues = reader.issues.sorted { $0.position < $1.position }
        if !issues.isEmpty { scenario = nil }
    }

    private mutating func read(_ node: Node, with reader: inout NodeReader) {
        let isProfile = ["downlink", "uplink", "dns", "schedule"].contains { node[$0] != nil }
        guard !isProfile || Scenario.isDescribed(by: node.json) else {
            return reader.report("this is a profile", at: node, expected: "a scenario")
        }
        let keys = ["name", "summary", "profile", "paths", "steps", "repeat", "expect", "$schema"]
        guard reader.isObject(node, keys: keys, what: "an object that describes a scenario") else { return }
        _ = reader.optional("$schema", of: node) { $0.string($1) }
        let name = reader.required("name", of: node, expected: "a name") { $0.name($1) }
        let summary = reader.optional("summary", of: node) { $0.line($1) }
        let paths = reader.optional("paths", of: node) { $0.paths($1) } ?? []
        let first =
            node["paths"] != nil && node["profile"] == nil
            ? ProfileReference(.inline(.unconditioned))
            : reader.required("profile", of: node, expected: NodeReader.referenceExpectation) { $0.reference($1) }
        let names = node["paths"]?.members.map(\.name) ?? []
        let steps = StepDraft.withProfiles(
            reader.optional("steps", of: node) { $0.scenarioSteps($1, paths: names) } ?? [],
            first,
            paths
        )
        let count = reader.optional("repeat", of: node) { $0.integer($1, in: 1...Scenario.maximumRepeat) }
        expect = reader.optional("expect", of: node) { $0.expectations($1) } ?? []
        references = ([first] + paths.map(\.profile) + steps.map(\.profile)).compactMap { $0 }
        labels = steps.compactMap(\.label) + steps.compactMap(\.after?.mark)
        changes = steps.flatMap(\.changeKeys)
        guard let name, let first else { return }
        let complete = steps.compactMap(\.complete)
        scenario = Scenario(name: name, profile: first, steps: complete, repeat: count ?? 1, expect: expect)
        scenario?.summary = summary
        scenario?.paths = paths
    }
}

/// The valid parts of a step.
private struct StepDraft {
    var label: String?
    var after: Trigger?
    var profile: ProfileReference?
    var queued: Scenario.QueuedPackets?
    var path: String?
    var faults: [Fault]?
    var changes = NetworkChanges()
    var changeKeys: [LocatedText] = []
    /// Whether the previous step's profile stays in effect.
    var keepsProfile = false

    var complete: Scenario.Step? {
        guard let label, let after, let profile else { return nil }
        var step = Scenario.Step(
            label: label,
            after: after,
            profile: profile,
            queued: queued ?? .delivered,
            faults: faults
        )
        (step.changes, step.path) = (changes, path)
        return step
    }

    /// Fills in the profile and the faults of each step that keeps the previous ones; `first` and `paths` apply at the
    /// start.
    static func withProfiles(
        _ steps: [StepDraft],
        _ first: ProfileReference?,
        _ paths: [Scenario.Path]
    ) -> [StepDraft] {
        var current: [String?: (profile: ProfileReference?, faults: [Fault]?)] = [nil: (first, nil)]
        for path in paths { current[path.name] = (path.profile, nil) }
        return steps.map { step in
            var step = step
            if step.keepsProfile, let before = current[step.path] {
                (step.profile, step.faults) = (before.profile, step.faults ?? before.faults)
            }
            current[step.path] = (step.profile, step.faults)
            return step
        }
    }
}

extension NodeReader {
    static let referenceExpectation = "a profile's name, or a profile"

    mutating func reference(_ node: Node) -> ProfileReference? {
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

    fileprivate mutating func paths(_ node: Node) -> [Scenario.Path]? {
        let example = "an object such as {\"wifi0\": \"Wi-Fi\", \"cell0\": \"LTE\"}"
        guard case .object = node.json.value, !node.members.isEmpty else {
            report("found \(node.shown)", at: node, expected: example)
            return nil
        }
        if node.members.count > Scenario.maximumPaths {
            report("there are \(node.members.count) paths", at: node, expected: "\(Scenario.maximumPaths) at most")
        }
        return node.members.compactMap { member in
            if let problem = Scenario.Path.problem(with: member.name) {
                report("the name \(problem)", at: member.node, expected: "the name of an interface, such as wifi0")
            }
            return reference(member.node).map { Scenario.Path(name: member.name, profile: $0) }
        }
    }

    /// Reads the name of the path that a step changes; reports a mistake if it is not one of `names`.
    private mutating func path(of element: Node, _ names: [String]) -> String? {
        let known = names.map { JSON.quoted($0) }.joined(separator: " or ")
        guard let node = element["path"] else {
            if !names.isEmpty { report("the step names no path", at: element, expected: "\"path\": \(known)") }
            return nil
        }
        guard let name = string(node) else { return nil }
        guard !names.contains(name) else { return name }
        report(
            "there is no path \(JSON.quoted(name))",
            at: node,
            expected: names.isEmpty ? "\"paths\" beside \"steps\"" : known
        )
        return nil
    }

    fileprivate mutating func scenarioSteps(_ node: Node, paths names: [String]) -> [StepDraft]? {
        let example = "an array such as [{\"label\": \"away\", \"after\": \"20 s\", \"profile\": \"Black Hole\"}]"
        guard let elements = elements(of: node, atMost: Scenario.maximumSteps, what: "steps", expected: example) else {
            return nil
        }
        var paths: [String: JSONPath] = [:]
        return elements.map { element in
            let keys = ["label", "after", "path", "profile", "queued", "faults"] + NetworkChanges.keys
            guard isObject(element, keys: keys, what: "a step: an object") else { return StepDraft() }
            var step = StepDraft()
            step.label = required("label", of: element, expected: "a name for the step") { $0.label($1) }
            step.after = required("after", of: element, expected: Self.triggerExpectation) { $0.trigger($1) }
            step.path = path(of: element, names)
            step.changeKeys = NetworkChanges.keys.compactMap { name in
                element[name].map { LocatedText(name, path: $0.path, position: $0.json.position) }
            }
            step.changes.link = optional("link", of: element) { $0.choice($1) }
            step.changes.address = optional("address", of: element) { $0.choice($1) }
            step.changes.nat = optional("nat", of: element) { $0.choice($1) }
            if let node = element["hand over"] { handOver(node, of: element, to: &step) }
            step.keepsProfile = element["profile"] == nil && step.profile == nil && !step.changeKeys.isEmpty
            if !step.keepsProfile, step.profile == nil {
                step.profile =
                    required("profile", of: element, expected: Self.referenceExpectation) { $0.reference($1) }
            }
            step.queued = optional("queued", of: element) { $0.choice($1) }
            step.faults = optional("faults", of: element) { $0.faults($1) }
            if let label = step.label, let member = element["label"] {
                if let other = paths[label] {
                    report(
                        "the label \(JSON.quoted(label)) is taken by \(other)",
                        at: member,
                        expected: "another label"
                    )
                } else {
                    paths[label] = element.path
                }
            }
            return step
        }
    }

    private mutating func handOver(_ node: Node, of element: Node, to step: inout StepDraft) {
        let example = "an object such as {\"profile\": \"LTE\", \"overlap\": \"300 ms\"}"
        guard isObject(node, keys: ["profile", "overlap"], what: example) else { return }
        step.profile = optional("profile", of: node) { $0.reference($1) }
        step.changes.handOver = NetworkChanges.HandOver()
        step.changes.handOver?.overlap = optional("overlap", of: node) { $0.duration($1, Duration.wait) }
        if let profile = element["profile"] {
            report("a hand-over has its own profile", at: profile, expected: "\"profile\" in \"hand over\"")
        }
        if let address = element["address"] {
            report("a hand-over gives another address by itself", at: address, expected: "one of the two")
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
        case .string, .number: return duration(node, Duration.wait).map(Trigger.time)
        default: break
        }
        let kinds = ["bytes", "connections", "mark"]
        let problems = (none: "waits for nothing", several: "waits for several things at once")
        guard let kind = onlyMember(of: node, keys: kinds, problems, expected: Self.triggerExpectation) else {
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

    fileprivate mutating func expectations(_ node: Node) -> [LocatedText]? {
        let example = "an array such as [\"leaves no connection open\"]"
        return elements(of: node, atMost: Scenario.maximumSteps, what: "expectations", expected: example)?.compactMap {
            element in
            guard let text = line(element) else { return nil }
            return LocatedText(text, path: element.path, position: element.json.position)
        }
    }
}
