// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// The client tries IPv4 within a time if IPv6 gets no answer.
struct UsesIPv4Form: ExpectationForm {
    static let phrase = "uses IPv4"
    static let examples = [
        ExpectationExample(
            "uses IPv4 within 500 ms",
            "where an attempt over IPv6 gets no answer, one over IPv4 to the same name begins that soon after it"
        )
    ]

    let limit: Duration

    static func read(_ parser: inout ExpectationParser) throws(UnreadableExpectation) -> ClientExpectation {
        try parser.replacement { .usesIPv4(within: $0) }
    }

    func text(_ ends: ExpectationEnds) -> String { "\(Self.phrase)\(ends.to) within \(limit.text)\(ends.duringLabel)" }

    func rule(_ ends: ExpectationEnds) -> ExpectationRule {
        ExpectationRule(
            .reaction.union(.allConnections),
            "an attempt over IPv4 about 250 ms after one over IPv6 that has no answer (RFC 8305)",
            looksBeyond: true
        ) { $0.usingIPv4(within: limit, ends.peer, in: $1) }
    }
}
