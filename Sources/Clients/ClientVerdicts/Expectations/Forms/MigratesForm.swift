// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// A QUIC connection continues within a time after a label.
struct MigratesForm: ExpectationForm {
    static let phrase = "migrates"
    static let examples = [
        ExpectationExample(
            "migrates within 2 s of 'new network'",
            "a QUIC connection of before the label goes on that soon after it, and no new one takes its place"
        )
    ]

    let limit: Duration

    static func read(_ parser: inout ExpectationParser) throws(UnreadableExpectation) -> ClientExpectation {
        try parser.reaction { .migrates(within: $0) }
    }

    func text(_ ends: ExpectationEnds) -> String { "\(Self.phrase)\(ends.to) within \(limit.text)\(ends.ofLabel)" }

    func rule(_ ends: ExpectationEnds) -> ExpectationRule {
        ExpectationRule(
            .reaction.union(.allConnections),
            "QUIC with connection migration (RFC 9000, section 9), and a probe when the network changes",
            looksBeyond: true
        ) { $0.migration(within: limit, ends.peer, in: $1) }
    }
}
