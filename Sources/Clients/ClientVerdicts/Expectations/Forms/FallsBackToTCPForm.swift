// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// The client tries TCP within a time if UDP gets no answer.
struct FallsBackToTCPForm: ExpectationForm {
    static let phrase = "falls back to TCP"
    static let examples = [
        ExpectationExample(
            "falls back to TCP within 2 s",
            "where QUIC or DNS over UDP gets no answer, TCP to the same peer begins that soon after it"
        )
    ]

    let limit: Duration

    static func read(_ parser: inout ExpectationParser) throws(UnreadableExpectation) -> ClientExpectation {
        try parser.replacement { .fallsBackToTCP(within: $0) }
    }

    func text(_ ends: ExpectationEnds) -> String { "\(Self.phrase)\(ends.to) within \(limit.text)\(ends.duringLabel)" }

    func rule(_ ends: ExpectationEnds) -> ExpectationRule {
        ExpectationRule(
            .reaction.union(.allConnections),
            "an attempt over TCP beside or soon after that over UDP, since networks may lose all of UDP",
            looksBeyond: true
        ) { $0.fallingBackToTCP(within: limit, ends.peer, in: $1) }
    }
}
