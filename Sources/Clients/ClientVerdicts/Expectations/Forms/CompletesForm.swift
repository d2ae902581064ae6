// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// The command ends within a time.
struct CompletesForm: ExpectationForm {
    static let phrase = "completes"
    static let examples = [
        ExpectationExample("completes within 30 s", "the command exits in that time, with any status")
    ]

    let limit: Duration

    static func read(_ parser: inout ExpectationParser) throws(UnreadableExpectation) -> ClientExpectation {
        ClientExpectation(.completes(within: try parser.limit()))
    }

    func text(_ ends: ExpectationEnds) -> String { "\(Self.phrase)\(ends.to) within \(limit.text)" }

    func rule(_ ends: ExpectationEnds) -> ExpectationRule {
        ExpectationRule(
            [],
            "an overall time limit, and a limit for connecting and for each answer"
        ) { judge, _ in judge.completion(within: limit) }
    }
}
