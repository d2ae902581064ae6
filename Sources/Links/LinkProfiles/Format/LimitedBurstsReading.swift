// SPDX-License-Identifier: Apache-2.0

extension NodeReader {
    static let limitedBurstsKeys = ["random", "longestBurst"]

    /// Whether an object describes packets at random with a longest burst, and not another model.
    func isLimitedBursts(_ node: Node) -> Bool { Self.limitedBurstsKeys.contains { node[$0] != nil } }

    /// Reads `{"random": "30 %", "longestBurst": 3}`.
    mutating func limitedBursts(_ node: Node) -> LimitedBursts? {
        guard isObject(node, keys: Self.limitedBurstsKeys, what: "an object with the keys random and longestBurst")
        else {
            return nil
        }
        let chance = required("random", of: node, expected: "a share such as \"30 %\"") { $0.probability($1) }
        let longest = required("longestBurst", of: node, expected: "a number of packets, such as 3") {
            $0.integer($1, in: 1...1_000_000)
        }
        guard let chance, let longest else { return nil }
        return LimitedBursts(chance: chance, longest: longest)
    }

    /// Reads the share of packets that are corrupted, alone or with a longest burst.
    mutating func corruption(_ node: Node) -> (share: Probability, longest: Int?)? {
        guard case .object = node.json.value else { return probability(node).map { ($0, nil) } }
        return limitedBursts(node).map { ($0.chance, $0.longest) }
    }
}
