// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// The client closes its open connections within a time after a label.
struct ClosesForm: ExpectationForm {
    static let phrase = "closes"
    static let examples = [
        ExpectationExample("closes within 1 s of 'left'", "what is open then is closed by the client in that time")
    ]

    let limit: Duration

    static func read(_ parser: inout ExpectationParser) throws(UnreadableExpectation) -> ClientExpectation {
        try parser.reaction { .closes(within: $0) }
    }

    func text(_ ends: ExpectationEnds) -> String { "\(Self.phrase)\(ends.to) within \(limit.text)\(ends.ofLabel)" }

    func rule(_ ends: ExpectationEnds) -> ExpectationRule {
        ExpectationRule(
            .reaction.union([.sockets, .allConnections]),
            "cancelling the request, and closing its connection, where the user leaves"
        ) { $0.closing(within: limit, ends.peer, in: $1) }
    }
}
