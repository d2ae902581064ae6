// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// A byte of an answer arrives within a time after a label.
struct RecoversForm: ExpectationForm {
    static let phrase = "recovers"
    static let examples = [
        ExpectationExample(
            "recovers within 5 s of 'out again'",
            "a byte of an answer comes that soon after the label, to a client that still waits for it"
        )
    ]

    let limit: Duration

    static func read(_ parser: inout ExpectationParser) throws(UnreadableExpectation) -> ClientExpectation {
        try parser.reaction { .recovers(within: $0) }
    }

    func text(_ ends: ExpectationEnds) -> String { "\(Self.phrase)\(ends.to) within \(limit.text)\(ends.ofLabel)" }

    func rule(_ ends: ExpectationEnds) -> ExpectationRule {
        ExpectationRule(
            .reaction,
            "a retry that begins when the network changes, or a cap on the time between attempts",
            answerLimit: limit
        ) { $0.recovery(within: limit, ends.peer, in: $1) }
    }
}
