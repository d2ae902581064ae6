// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// The client repeats a DNS query within a time after a label.
struct AsksDNSAgainForm: ExpectationForm {
    static let phrase = "asks DNS again"
    static let examples = [
        ExpectationExample(
            "asks DNS again within 10 s of 'new network'",
            "what DNS was asked for before the label is asked for again that soon after it"
        )
    ]

    let limit: Duration

    static func read(_ parser: inout ExpectationParser) throws(UnreadableExpectation) -> ClientExpectation {
        try parser.reaction { .asksDNSAgain(within: $0) }
    }

    func text(_ ends: ExpectationEnds) -> String { "\(Self.phrase)\(ends.to) within \(limit.text)\(ends.ofLabel)" }

    func rule(_ ends: ExpectationEnds) -> ExpectationRule {
        ExpectationRule(
            .reaction,
            "forgetting the answers of DNS when the network changes, and asking anew before connecting",
            looksBeyond: true
        ) { $0.askingAgain(within: limit, ends.peer, in: $1) }
    }
}
