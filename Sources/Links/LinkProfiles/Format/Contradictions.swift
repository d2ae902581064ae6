// SPDX-License-Identifier: Apache-2.0

extension NodeReader {
    /// Checks that the figures of each direction fit together, for the profile and for every step of its schedule.
    ///
    /// Checks the presence of keys and not their values: a key with an invalid value is not reported again as missing.
    mutating func checkContradictions(at node: Node) {
        for direction in Direction.allCases {
            let base = node[direction.rawValue]
            let overrides = (node["schedule"]?["steps"]?.elements ?? []).compactMap { $0[direction.rawValue] }
            let baseKeys = base?.keys ?? []
            // A key of a step may satisfy a requirement of the base.
            if let base { check(base, has: baseKeys, hasEver: overrides.reduce(baseKeys) { $0.union($1.keys) }) }
            for override in overrides {
                let keys = baseKeys.union(override.keys)
                check(override, has: keys, hasEver: keys)
            }
        }
    }

    /// Checks the keys of `node`, given the keys that are valid together with them.
    private mutating func check(_ node: Node, has keys: Set<String>, hasEver: Set<String>) {
        let hasBottleneck = !hasEver.isDisjoint(with: ["rate", "trace"])
        let marks = node["ecn"].flatMap { Bool(json: $0.json) } == true
        let rules: [(key: String, isMet: Bool, problem: String, needed: String)] = [
            ("queue", hasBottleneck, "a queue without a rate never fills", "rate"),
            ("overhead", hasBottleneck, "overhead without a rate changes nothing", "rate"),
            ("jitter", keys.contains("delay"), "jitter without a delay to vary", "delay"),
            ("reorder", keys.contains("delay"), "reorder without a delay to skip", "delay"),
            ("ecn", !marks || hasEver.contains("loss"), "ecn without a loss model marks nothing", "loss"),
        ]
        for rule in rules where !rule.isMet {
            guard let member = node[rule.key] else { continue }
            report(rule.problem, at: member, expected: "\"\(rule.needed)\" beside it")
        }
    }
}

extension Node {
    fileprivate var keys: Set<String> { Set(json.members.map(\.name)) }
}
