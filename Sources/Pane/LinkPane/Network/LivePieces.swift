// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// The text of `GET /v1/live`, put together from pieces: ten times a second only the lanes' figures are new.
struct LivePieces {
    /// A rule whose lanes are missing.
    struct Rule {
        let key: RuleKey
        /// The rule's text up to its lanes.
        private let start: String
        private let warnings: [String]
        private let plainLanes: String

        /// - Parameters:
        ///   - json: an object with the member "warnings".
        ///   - plainLanes: the lanes without measured figures.
        init(key: RuleKey, json: JSON, plainLanes: JSON) {
            (self.key, self.plainLanes) = (key, plainLanes.line)
            warnings = json["warnings"].flatMap { [String](json: $0) } ?? []
            let members = json.members.filter { $0.name != "warnings" }.map { ($0.name, Optional($0.value)) }
            start = LivePieces.opened(JSON(members: members))
        }

        fileprivate func append(to text: inout String, _ lanes: String?, _ more: [String]) {
            text += start
            text += ", \"warnings\": \((warnings + more).json.line), \"lanes\": "
            text += lanes ?? plainLanes
            text += "}"
        }
    }

    private let start: String
    private let rules: [Rule]

    /// - Parameter members: an object with the members besides the rules.
    init(members: JSON, rules: [Rule]) {
        start = Self.opened(members)
        self.rules = rules
    }

    /// The whole text.
    ///
    /// - Parameters:
    ///   - lanes: the lanes of a rule with their figures, the text of a JSON array; nil for what was asked only.
    ///   - warnings: more warnings about a rule.
    func text(lanes: (RuleKey) -> String?, warnings: (RuleKey) -> [String] = { _ in [] }) -> String {
        var text = start
        text += ", \"rules\": ["
        for (index, rule) in rules.enumerated() {
            if index > 0 { text += ", " }
            rule.append(to: &text, lanes(rule.key), warnings(rule.key))
        }
        text += "]}"
        return text
    }

    /// The text of an object with members, without the brace at its end.
    private static func opened(_ json: JSON) -> String { String(json.line.dropLast(2)) }
}
