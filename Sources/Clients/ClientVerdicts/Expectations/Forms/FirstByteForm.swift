// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// The first byte of an answer arrives within a time.
struct FirstByteForm: ExpectationForm {
    static let phrase = "first byte"
    static let examples = [
        ExpectationExample(
            "first byte within 2 s",
            "the first byte of an answer comes that soon after the first attempt, or after a label (of 'LABEL')"
        )
    ]

    let limit: Duration

    static func read(_ parser: inout ExpectationParser) throws(UnreadableExpectation) -> ClientExpectation {
        let peer = try parser.peer()
        let limit = try parser.limit()
        return ClientExpectation(.firstByte(within: limit), to: peer, label: try parser.label(after: "of"))
    }

    func text(_ ends: ExpectationEnds) -> String { "\(Self.phrase)\(ends.to) within \(limit.text)\(ends.ofLabel)" }

    func rule(_ ends: ExpectationEnds) -> ExpectationRule {
        ExpectationRule(
            ends.label == nil ? .reaction.union(.allConnections) : .reaction,
            "fewer round trips before the first answer: connections kept open, TLS 1.3, requests in parallel",
            answerLimit: limit
        ) { $0.firstByte(within: limit, ends.peer, in: $1) }
    }
}
