// SPDX-License-Identifier: Apache-2.0

extension NodeReader {
    /// Checks that the figures of each direction fit together, for the profile and for every step of its schedule.
    ///
    /// Looks at keys only, not at values: a key with an invalid value is reported once, and not again as missing.
    mutating func checkContradictions(at node: Node) {
        for direction in Direction.allCases {
            let base = node[direction.rawValue]
            let steps = node["schedule"]?["steps"].map(Self.elements) ?? []
            let overrides = steps.compactMap { $0[direction.rawValue] }
            let baseKeys = Self.keys(base)
            // A key of a step may satisfy a requirement of the base.
            let allKeys = overrides.reduce(baseKeys) { $0.union(Self.keys($1)) }
            if let base {
                check(base, has: baseKeys, hasEver: allKeys)
            }
            for override in overrides {
                let keys = baseKeys.union(Self.keys(override))
                check(override, has: keys, hasEver: keys)
            }
        }
    }

    /// Checks the keys of `node`, given the keys that are valid together with them.
    private mutating func check(_ node: Node, has keys: Set<String>, hasEver: Set<String>) {
        let hasBottleneck = !hasEver.isDisjoint(with: ["rate", "trace"])
        let rules: [(key: String, isMet: Bool, problem: String, expected: String)] = [
            ("queue", hasBottleneck, "a queue without a rate never fills", "\"rate\" beside it"),
            ("overhead", hasBottleneck, "overhead without a rate changes nothing", "\"rate\" beside it"),
            ("jitter", keys.contains("delay"), "jitter without a delay to vary", "\"delay\" beside it"),
            ("reorder", keys.contains("delay"), "reorder without a delay to skip", "\"delay\" beside it"),
        ]
        for rule in rules where !rule.isMet {
            guard let place = node[rule.key] else { continue }
            report(rule.problem, at: place, expected: rule.expected)
        }
        if let place = node["ecn"], case .bool(true) = place.json.value, !hasEver.contains("loss") {
            report(
                "ecn without a loss model marks nothing",
                at: place,
                expected: "\"loss\" beside it"
            )
        }
    }

    private static func keys(_ node: Node?) -> Set<String> {
        Set(node?.json.members.map(\.name) ?? [])
    }

    private static func elements(_ node: Node) -> [Node] {
        guard case .array(let elements) = node.json.value else { return [] }
        return elements.indices.compactMap { node.element($0) }
    }
}
