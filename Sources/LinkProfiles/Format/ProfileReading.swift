// SPDX-License-Identifier: Apache-2.0

extension Profile {
    /// No profile is larger; the limit keeps a mistaken path from being read into memory.
    public static let maximumBytes = 1 << 20

    /// Reads a profile from the UTF-8 text of a JSON file.
    ///
    /// - Throws: `InvalidProfile` with every mistake of the text. A text that is not JSON has just one.
    public init(utf8 bytes: some Sequence<UInt8>) throws(InvalidProfile) {
        let json: JSON
        do {
            json = try JSON(utf8: bytes)
        } catch {
            let issue = ProfileIssue(
                path: .root, position: error.position, problem: "not JSON: \(error.reason)", expected: nil,
                suggestion: nil)
            throw InvalidProfile(issues: [issue])
        }
        try self.init(json: json)
    }

    /// Reads a profile from a JSON value.
    ///
    /// - Throws: `InvalidProfile` with every mistake of the value.
    public init(json: JSON) throws(InvalidProfile) {
        var reader = NodeReader()
        let profile = reader.profile(Node(json: json, path: .root))
        guard let profile, reader.issues.isEmpty else {
            throw InvalidProfile(issues: reader.issues.sorted { $0.position < $1.position })
        }
        self = profile
    }
}

extension JSON.Position: Comparable {
    /// Compares by line, then by column.
    public static func < (left: JSON.Position, right: JSON.Position) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

extension NodeReader {
    fileprivate mutating func profile(_ node: Node) -> Profile? {
        let keys = ["name", "summary", "source", "downlink", "uplink", "dns", "seed", "schedule", "$schema"]
        guard isObject(node, keys: keys, what: "an object that describes a profile") else { return nil }
        _ = optional("$schema", of: node) { $0.string($1) }
        var profile = Profile(name: required("name", of: node, expected: "a name", { $0.name($1) }) ?? "")
        profile.summary = optional("summary", of: node) { $0.string($1) }
        profile.source = optional("source", of: node) { $0.string($1) }
        profile.downlink = optional("downlink", of: node) { $0.impairments($1) }
        profile.uplink = optional("uplink", of: node) { $0.impairments($1) }
        profile.dns = optional("dns", of: node) { $0.dns($1) }
        profile.seed = optional("seed", of: node) { $0.integer($1, in: 0...UInt64.max) }
        profile.schedule = optional("schedule", of: node) { $0.schedule($1) }
        checkContradictions(of: profile, at: node)
        return profile
    }

    private mutating func name(_ node: Node) -> String? {
        guard let name = string(node) else { return nil }
        if Profile.normalized(name).isEmpty {
            report("the name has no letter and no digit", at: node)
        } else if name.count > 100 {
            report("the name is longer than 100 characters", at: node)
        } else if name.contains("/") || name.hasSuffix(".json") {
            report("a name with \"/\" or at its end \".json\" would be taken for a path", at: node)
        } else if name.unicodeScalars.contains(where: { $0.value < 32 || $0.value == 127 }) {
            report("the name holds a control character", at: node)
        }
        return name
    }

    private mutating func dns(_ node: Node) -> DNSImpairment? {
        guard isObject(node, keys: ["delay"], what: "an object with the key \"delay\"") else { return nil }
        return required("delay", of: node, expected: "a time such as \"200 ms\"") { $0.duration($1) }
            .map(DNSImpairment.init(delay:))
    }

    private mutating func schedule(_ node: Node) -> Schedule? {
        guard isObject(node, keys: ["steps", "repeat"], what: "an object with the key \"steps\"") else { return nil }
        let steps = required("steps", of: node, expected: "a list of steps") { $0.steps($1) } ?? []
        let period = optional("repeat", of: node) { $0.duration($1) }
        if let period, let last = steps.last, period <= last.at, let member = node["repeat"] {
            report("the schedule starts again at \(period.text), not after its last step at \(last.at.text)", at: member)
        }
        return Schedule(steps: steps, repeat: period)
    }

    private mutating func steps(_ node: Node) -> [Schedule.Step]? {
        guard case .array(let elements) = node.json.value, !elements.isEmpty else {
            report("a schedule needs steps", at: node, expected: "a list such as [{\"at\": \"5 s\", \"downlink\": {…}}]")
            return nil
        }
        var steps: [Schedule.Step] = []
        for (index, element) in elements.enumerated() {
            let child = Node(json: element, path: node.path.appending(index))
            guard isObject(child, keys: ["at", "downlink", "uplink"], what: "an object with the key \"at\"") else {
                continue
            }
            var step = Schedule.Step(
                at: required("at", of: child, expected: "a time such as \"5 s\"") { $0.duration($1) } ?? .zero)
            step.downlink = optional("downlink", of: child) { $0.impairments($1, allowsHold: true) }
            step.uplink = optional("uplink", of: child) { $0.impairments($1, allowsHold: true) }
            if let last = steps.last, let time = child["at"], step.at <= last.at {
                report("the step at \(step.at.text) does not follow the one at \(last.at.text)", at: time)
            }
            steps.append(step)
        }
        return steps
    }

    /// Checks what only whole profiles show, on the base figures and on those of every step.
    private mutating func checkContradictions(of profile: Profile, at node: Node) {
        let steps = profile.schedule?.steps ?? []
        for direction in Direction.allCases {
            let base = direction == .downlink ? profile.downlink : profile.uplink
            let place = node[direction.rawValue]
            if let base, let place {
                let variants = [base] + steps.compactMap { profile.impairments(direction, at: $0) }
                checkBottleneck(of: base, everHasRate: variants.contains { $0.rate != nil || $0.trace != nil }, at: place)
                checkDelays(of: base, at: place)
                checkMarking(of: base, at: place)
            }
            for (index, step) in steps.enumerated() {
                guard let own = direction == .downlink ? step.downlink : step.uplink,
                    let merged = profile.impairments(direction, at: step),
                    let stepPlace = node["schedule"]?["steps"]?.element(index)?[direction.rawValue]
                else { continue }
                // What the base contradicts is already reported there.
                if own.jitter != nil || own.reorder != nil { checkDelays(of: merged, at: stepPlace) }
                if own.ecn != nil { checkMarking(of: merged, at: stepPlace) }
                checkBottleneck(of: own, everHasRate: merged.rate != nil || merged.trace != nil, at: stepPlace)
            }
        }
    }

    private mutating func checkBottleneck(of impairments: Impairments, everHasRate: Bool, at node: Node) {
        guard !everHasRate else { return }
        if impairments.queue != nil { report("a queue without a rate never fills", at: node["queue"] ?? node, expected: "\"rate\" beside it") }
        if impairments.overhead != nil {
            report("overhead without a rate changes nothing", at: node["overhead"] ?? node, expected: "\"rate\" beside it")
        }
    }

    private mutating func checkDelays(of impairments: Impairments, at node: Node) {
        guard impairments.delay == nil else { return }
        if impairments.jitter != nil {
            report("jitter without a delay to vary", at: node["jitter"] ?? node, expected: "\"delay\" beside it")
        }
        if impairments.reorder != nil {
            report("reorder without a delay to skip", at: node["reorder"] ?? node, expected: "\"delay\" beside it")
        }
    }

    private mutating func checkMarking(of impairments: Impairments, at node: Node) {
        guard impairments.ecn == true, impairments.loss == nil else { return }
        report("ecn marks what the loss model would drop, and there is none", at: node["ecn"] ?? node, expected: "\"loss\" beside it")
    }
}

extension Node {
    fileprivate func element(_ index: Int) -> Node? {
        guard case .array(let elements) = json.value, elements.indices.contains(index) else { return nil }
        return Node(json: elements[index], path: path.appending(index))
    }
}
