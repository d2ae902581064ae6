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
            let isManaged = base?["queue"]?.discipline.map { QueueManagement($0).marks } ?? false
            // A key of a step may satisfy a requirement of the base.
            if let base {
                check(base, has: baseKeys, hasEver: overrides.reduce(baseKeys) { $0.union($1.keys) }, isManaged)
            }
            for override in overrides {
                let keys = baseKeys.union(override.keys)
                check(override, has: keys, hasEver: keys, isManaged)
                checkUnchanged(override)
            }
        }
    }

    /// Reports what a step cannot change: the queue would have to begin anew.
    private mutating func checkUnchanged(_ override: Node) {
        if let queue = override["queue"], queue.discipline != nil || queue["discipline"] != nil {
            let expected = "the size alone, such as \"300 ms\"; the discipline belongs to the profile"
            report("a step cannot change the queue's discipline", at: queue, expected: expected)
        }
        if let competing = override["competing"] {
            let expected = "\"start\" and \"end\" of the competing traffic in the profile"
            report("a step cannot change competing traffic", at: competing, expected: expected)
        }
    }

    /// Checks the keys of `node`, given the keys that are valid together with them.
    private mutating func check(
        _ node: Node,
        has keys: Set<String>,
        hasEver: Set<String>,
        _ isManaged: Bool
    ) {
        let hasBottleneck = !hasEver.isDisjoint(with: ["rate", "trace"])
        let marks = node["ecn"].flatMap { Bool(json: $0.json) } == true
        let rules: [(key: String, isMet: Bool, problem: String, needed: String)] = [
            ("queue", hasBottleneck, "a queue without a rate never fills", "rate"),
            ("overhead", hasBottleneck, "overhead without a rate changes nothing", "rate"),
            ("jitter", keys.contains("delay"), "jitter without a delay to vary", "delay"),
            ("reorder", keys.contains("delay"), "reorder without a delay to skip", "delay"),
            ("competing", hasBottleneck, "competing traffic without a rate takes nothing", "rate"),
        ]
        for rule in rules where !rule.isMet {
            guard let member = node[rule.key] else { continue }
            report(rule.problem, at: member, expected: "\"\(rule.needed)\" beside it")
        }
        if marks, !isManaged, !hasEver.contains("loss"), let member = node["ecn"] {
            let expected = "\"loss\" beside it, or a discipline of \"queue\" that marks, such as \"fq_codel\""
            report("ecn without a loss model or a managed queue marks nothing", at: member, expected: expected)
        }
    }
}

extension Node {
    /// The discipline of a queue; nil for a size alone.
    var discipline: QueueManagement.Discipline? {
        (String(json: json) ?? self["discipline"].flatMap { String(json: $0.json) })
            .flatMap { QueueManagement.Discipline(rawValue: $0.trimmingSpaces()) }
    }

    fileprivate var keys: Set<String> { Set(json.members.map(\.name)) }
}
