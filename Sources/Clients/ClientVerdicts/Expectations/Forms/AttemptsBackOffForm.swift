// SPDX-License-Identifier: Apache-2.0

/// The waits between attempts grow.
struct AttemptsBackOffForm: ExpectationForm {
    static let phrase = "attempts"
    static let examples = [
        ExpectationExample(
            "attempts back off",
            "the waits between an attempt that failed and the next one grow, up to a cap"
        )
    ]

    static func read(_ parser: inout ExpectationParser) throws(UnreadableExpectation) -> ClientExpectation {
        let peer = try parser.peer()
        try parser.words("back", "off")
        return ClientExpectation(.attemptsBackOff, to: peer, label: try parser.label(after: "during"))
    }

    func text(_ ends: ExpectationEnds) -> String { "\(Self.phrase)\(ends.to) back off\(ends.duringLabel)" }

    func rule(_ ends: ExpectationEnds) -> ExpectationRule {
        ExpectationRule(
            [.record, .packets],
            "a time between attempts that doubles up to a cap, with a random part"
        ) { $0.backingOff(ends.peer, in: $1) }
    }
}
