// SPDX-License-Identifier: Apache-2.0

/// A profile for part of the traffic: an entry of a rules file.
public struct TrafficRule: Hashable, Sendable {
    /// The ends of matching packets.
    public var ends: FaultMatch.Ends
    /// The ends whose packets are excluded: a match of one remote, port or protocol is enough.
    public var exclusions: FaultMatch.Ends
    /// The profile for matching packets.
    public var profile: ProfileReference
    /// The path and position of the rule in the text.
    package var location: LocatedText
}

/// The rules that could be read from a file with mistakes, so that further checks can report more mistakes.
package struct TrafficRulesDraft {
    /// The rules, as far as they could be read.
    package private(set) var rules: [TrafficRule] = []
    /// The mistakes, in the order of the text.
    package private(set) var issues: [ProfileIssue] = []

    /// The largest number of rules in a file: each takes three filter preferences, of which an interface has about 100.
    static let maximum = 20

    /// Whether a JSON value describes rules, and not a profile or a scenario.
    package static func isDescribed(by json: JSON) -> Bool {
        json["rules"] != nil && ["name", "profile", "steps"].allSatisfy { json[$0] == nil }
    }

    package init(json: JSON) {
        var reader = NodeReader()
        rules = reader.trafficRules(Node(json: json))
        issues = reader.issues.sorted { $0.position < $1.position }
    }
}

extension NodeReader {
    fileprivate mutating func trafficRules(_ node: Node) -> [TrafficRule] {
        let example = "an array such as [{\"to\": \"192.0.2.1\", \"profile\": \"3G\"}]"
        guard isObject(node, keys: ["rules", "$schema"], what: "an object with rules") else { return [] }
        _ = optional("$schema", of: node) { $0.string($1) }
        let elements = required("rules", of: node, expected: example) {
            $0.elements(of: $1, atMost: TrafficRulesDraft.maximum, what: "rules", expected: example)
        }
        return (elements ?? []).compactMap { trafficRule($0) }
    }

    private mutating func trafficRule(_ node: Node) -> TrafficRule? {
        guard isObject(node, keys: Self.endKeys + ["exclude", "profile"], what: "a rule: an object") else { return nil }
        let before = issues.count
        let ends = ends(node)
        let exclusions = optional("exclude", of: node) { $0.exclusions($1) } ?? FaultMatch.Ends()
        let profile = required("profile", of: node, expected: Self.referenceExpectation) { $0.reference($1) }
        if issues.count == before, ends.isEmpty, exclusions.isEmpty {
            let expected = "\"to\", \"port\", \"protocol\" or \"exclude\""
            report("the rule is for all traffic, whose profile the command line names", at: node, expected: expected)
        }
        guard issues.count == before, let profile else { return nil }
        let location = LocatedText("", path: node.path, position: node.json.position)
        return TrafficRule(ends: ends, exclusions: exclusions, profile: profile, location: location)
    }
}
