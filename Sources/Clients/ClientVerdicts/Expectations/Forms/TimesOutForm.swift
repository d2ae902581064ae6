// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// The client gives up connections without an answer within a time.
struct TimesOutForm: ExpectationForm {
    static let phrase = "times out"
    static let examples = [
        ExpectationExample(
            "times out within 10 s of 'in the lift'",
            "each connection that gets no answer then is given up in that time"
        )
    ]

    let limit: Duration

    static func read(_ parser: inout ExpectationParser) throws(UnreadableExpectation) -> ClientExpectation {
        try parser.reaction { .timesOut(within: $0) }
    }

    func text(_ ends: ExpectationEnds) -> String { "\(Self.phrase)\(ends.to) within \(limit.text)\(ends.ofLabel)" }

    func rule(_ ends: ExpectationEnds) -> ExpectationRule {
        // Only the socket list shows a connection that was open at the end.
        ExpectationRule(
            .reaction.union([.sockets, .allConnections]),
            "a time limit for connecting and for waiting on an answer"
        ) { $0.givingUp(within: limit, ends.peer, in: $1) }
    }
}
