// SPDX-License-Identifier: Apache-2.0

extension Profile {
    /// The largest accepted size of a profile's text; the limit protects against reading a large file by mistake.
    public static let maximumBytes = 1 << 20

    /// Reads a profile from the UTF-8 text of a JSON file.
    ///
    /// - Throws: `InvalidProfile` with every mistake in the text; with one mistake if the text is not JSON.
    public init(utf8 bytes: some Sequence<UInt8>) throws(InvalidProfile) {
        try self.init(json: JSON(readable: bytes))
    }

    /// Reads a profile from a JSON value.
    ///
    /// - Throws: `InvalidProfile` with every mistake of the value.
    public init(json: JSON) throws(InvalidProfile) {
        var reader = NodeReader()
        let profile = reader.profile(Node(json: json))
        guard let profile, reader.issues.isEmpty else {
            throw InvalidProfile(issues: reader.issues.sorted { $0.position < $1.position })
        }
        self = profile
    }
}

extension JSON {
    /// Reads the UTF-8 text of a JSON file.
    ///
    /// - Throws: `InvalidProfile` with the position and the reason, if the text is not JSON.
    package init(readable bytes: some Sequence<UInt8>) throws(InvalidProfile) {
        do {
            self = try JSON(utf8: bytes)
        } catch {
            let problem = "not JSON: \(error.reason)"
            throw InvalidProfile(issues: [ProfileIssue(path: .root, position: error.position, problem: problem)])
        }
    }
}

extension JSON.Position: Comparable {
    /// Compares by line, then by column.
    public static func < (left: JSON.Position, right: JSON.Position) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

extension NodeReader {
    mutating func profile(_ node: Node) -> Profile? {
        let isScenario = Scenario.isDescribed(by: node.json)
        guard !isScenario, !Population.isDescribed(by: node.json) else {
            report("this is a \(isScenario ? "scenario" : "population")", at: node, expected: "a profile")
            return nil
        }
        let keys = [
            "name", "summary", "source", "downlink", "uplink", "dns", "mtu", "ipv6", "nat", "faults", "seed",
            "schedule", "$schema",
        ]
        guard isObject(node, keys: keys, what: "an object that describes a profile") else { return nil }
        _ = optional("$schema", of: node) { $0.string($1) }
        var profile = Profile(name: required("name", of: node, expected: "a name", { $0.name($1) }) ?? "")
        profile.summary = optional("summary", of: node) { $0.line($1) }
        profile.source = optional("source", of: node) { $0.line($1) }
        profile.downlink = optional("downlink", of: node) { $0.impairments($1) }
        profile.uplink = optional("uplink", of: node) { $0.impairments($1) }
        profile.dns = optional("dns", of: node) { $0.dns($1) }
        profile.mtu = optional("mtu", of: node) { $0.integer($1, in: Profile.mtuRange) }
        profile.ipv6 = optional("ipv6", of: node) { $0.choice($1) }
        profile.translation = optional("nat", of: node) { $0.translation($1) }
        profile.faults = optional("faults", of: node) { $0.faults($1) } ?? []
        profile.seed = optional("seed", of: node) { $0.integer($1, in: 0...UInt64.max) }
        profile.schedule = optional("schedule", of: node) { $0.schedule($1) }
        checkContradictions(at: node)
        return profile
    }

    mutating func name(_ node: Node) -> String? {
        guard let name = line(node) else { return nil }
        if !name.contains(where: { $0.isLetter || $0.isNumber }) {
            report("the name has no letter and no digit", at: node)
        } else if name.count > 100 {
            report("the name is longer than 100 characters", at: node)
        } else if name.contains("/") || name.hasSuffix(".json") {
            report("a name with \"/\", or ending in \".json\", would be taken for a path", at: node)
        }
        return name
    }

    /// Reads a string; reports control characters, which are not safe to print on a terminal.
    mutating func line(_ node: Node) -> String? {
        let text = string(node)
        if let text, text.containsControlCharacter {
            let what = node.path.description.hasSuffix(".name") ? "the name" : "the string"
            report("\(what) contains a control character", at: node)
        }
        return text
    }

    private mutating func dns(_ node: Node) -> DNSImpairment? {
        guard isObject(node, keys: ["delay"], what: "an object with the key \"delay\"") else { return nil }
        return required("delay", of: node, expected: "a time such as \"200 ms\"") { $0.duration($1) }
            .map(DNSImpairment.init(delay:))
    }

    private mutating func translation(_ node: Node) -> AddressTranslation? {
        let what = "an object such as {\"idle\": \"30 s\"}"
        guard isObject(node, keys: ["idle", "mapping", "filtering"], what: what) else { return nil }
        var translation = AddressTranslation()
        translation.idle = optional("idle", of: node) { $0.duration($1, Duration.wait) }
        if translation.idle == .zero, let member = node["idle"] {
            report("a mapping that expires at once lets no answer in", at: member, expected: "a time such as \"30 s\"")
        }
        translation.mapping = optional("mapping", of: node) { $0.choice($1) } ?? .endpoint
        translation.filtering = optional("filtering", of: node) { $0.choice($1) } ?? .endpoint
        return translation
    }

    private mutating func schedule(_ node: Node) -> Schedule? {
        guard isObject(node, keys: ["steps", "repeat"], what: "an object with the key \"steps\"") else { return nil }
        let steps = required("steps", of: node, expected: "an array of steps") { $0.steps($1) } ?? []
        let period = optional("repeat", of: node) { $0.duration($1, Duration.wait) }
        if let period, let last = steps.last, last.at > .zero || steps.count == 1, period <= last.at,
            let member = node["repeat"]
        {
            report("the schedule repeats at \(period.text), not after its last step at \(last.at.text)", at: member)
        }
        return Schedule(steps: steps, repeat: period)
    }

    private mutating func steps(_ node: Node) -> [Schedule.Step]? {
        let example = "an array such as [{\"at\": \"5 s\", \"downlink\": {…}}]"
        guard let elements = elements(of: node, what: "steps", expected: example) else { return nil }
        var steps: [Schedule.Step] = []
        var last: Duration?
        for element in elements {
            guard isObject(element, keys: ["at", "downlink", "uplink"], what: "an object with the key \"at\"") else {
                continue
            }
            let example = "a time such as \"5 s\""
            let time = required("at", of: element, expected: example) { $0.duration($1, Duration.wait) }
            var step = Schedule.Step(at: time ?? .zero)
            step.downlink = optional("downlink", of: element) { $0.impairments($1, allowsHold: true) }
            step.uplink = optional("uplink", of: element) { $0.impairments($1, allowsHold: true) }
            if let time, let last, let member = element["at"], time <= last {
                report("the step at \(time.text) is not after the one at \(last.text)", at: member)
            }
            last = time
            steps.append(step)
        }
        return steps
    }
}
