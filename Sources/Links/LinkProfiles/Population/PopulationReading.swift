// SPDX-License-Identifier: Apache-2.0

extension Population {
    /// The largest number of networks.
    public static let maximumNetworks = 1000
    /// The largest accepted difference between the sum of the shares and 100 %, for shares that are rounded: three
    /// times 33.3 %.
    static let rounding = Probability(fraction: 0.001)

    /// Whether a JSON value describes a population, and not a profile or a scenario.
    package static func isDescribed(by json: JSON) -> Bool { json["networks"] != nil }

    /// Reads a population from a JSON value.
    ///
    /// - Throws: `InvalidProfile` with every mistake of the value.
    public init(json: JSON) throws(InvalidProfile) {
        let draft = PopulationDraft(json: json)
        guard draft.issues.isEmpty else { throw InvalidProfile(issues: draft.issues) }
        self = draft.population
    }

    /// Reads a population from the UTF-8 text of a JSON file.
    ///
    /// - Throws: `InvalidProfile` with every mistake of the text.
    public init(utf8 bytes: some Sequence<UInt8>) throws(InvalidProfile) {
        try self.init(json: JSON(readable: bytes))
    }
}

/// The parts that could be read from a population with mistakes, so that further checks can report more mistakes.
package struct PopulationDraft {
    /// The population, as far as it could be read.
    package let population: Population
    /// The mistakes, in the order of the text.
    package let issues: [ProfileIssue]

    package init(json: JSON) {
        var reader = NodeReader()
        population = reader.population(Node(json: json))
        issues = reader.issues.sorted { $0.position < $1.position }
    }
}

extension NodeReader {
    fileprivate mutating func population(_ node: Node) -> Population {
        var population = Population(name: "", networks: [])
        let keys = ["name", "source", "networks", "$schema"]
        guard isObject(node, keys: keys, what: "an object that describes a population") else { return population }
        _ = optional("$schema", of: node) { $0.string($1) }
        population.name = required("name", of: node, expected: "a name") { $0.name($1) } ?? ""
        population.source = optional("source", of: node) { $0.line($1) }
        let example = "an array such as [{\"profile\": \"LTE\", \"share\": \"100 %\"}]"
        population.networks = required("networks", of: node, expected: example) { $0.networks($1, example) } ?? []
        return population
    }

    private mutating func networks(_ node: Node, _ example: String) -> [Population.Network]? {
        let limit = Population.maximumNetworks
        guard let elements = elements(of: node, atMost: limit, what: "networks", expected: example) else { return nil }
        let before = issues.count
        var paths: [String: JSONPath] = [:]
        let networks = elements.compactMap { network($0, unlike: &paths) }
        // The sum means nothing if a share could not be read.
        if issues.count == before, !elements.isEmpty { checkSum(of: networks.map(\.share), at: node) }
        return networks
    }

    private mutating func network(_ node: Node, unlike paths: inout [String: JSONPath]) -> Population.Network? {
        let what = "an object such as {\"profile\": \"LTE\", \"share\": \"18 %\"}"
        guard isObject(node, keys: ["profile", "share"], what: what) else { return nil }
        let expected = "the name or the path of a profile or a scenario"
        let profile = required("profile", of: node, expected: expected) { reader, member -> LocatedText? in
            guard let text = reader.line(member) else { return nil }
            guard text.contains(where: { $0.isLetter || $0.isNumber }) else {
                reader.report("the profile's name has no letter and no digit", at: member)
                return nil
            }
            if let other = paths.updateValue(member.path, forKey: Profile.normalized(text)) {
                reader.report("\(JSON.quoted(text)) is \(other), too", at: member, expected: "each network once")
            }
            return LocatedText(text, path: member.path, position: member.json.position)
        }
        let share = required("share", of: node, expected: Probability.quantity.expectation) { reader, member in
            let share = reader.probability(member)
            if share == .zero { reader.report("a share of nothing", at: member, expected: "more than 0 %") }
            return share
        }
        guard let profile, let share else { return nil }
        return Population.Network(profile: profile, share: share)
    }

    private mutating func checkSum(of shares: [Probability], at node: Node) {
        let sum = shares.reduce(0) { $0 + $1.parts }
        let whole = Probability.one.parts
        let difference = max(sum, whole) - min(sum, whole)
        guard difference > Population.rounding.parts else { return }
        let words = Probability.quantity.format
        report(
            "the shares add up to \(words(sum)), \(words(difference)) \(sum > whole ? "more" : "less") than 100 %",
            at: node,
            expected: "shares that add up to 100 %, up to \(Population.rounding) for rounding"
        )
    }
}
