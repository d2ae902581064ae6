// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// The client sends something on each connection at least once in a given time.
struct SendsKeepAlivesForm: ExpectationForm {
    static let phrase = "sends keep-alives"
    static let examples = [
        ExpectationExample(
            "sends keep-alives at least every 20 s",
            "on no connection the client sends nothing for longer"
        )
    ]

    let limit: Duration

    static func read(_ parser: inout ExpectationParser) throws(UnreadableExpectation) -> ClientExpectation {
        let peer = try parser.peer()
        try parser.words("at", "least", "every")
        return ClientExpectation(.sendsKeepAlives(every: try parser.time()), to: peer)
    }

    func text(_ ends: ExpectationEnds) -> String { "\(Self.phrase)\(ends.to) at least every \(limit.text)" }

    func rule(_ ends: ExpectationEnds) -> ExpectationRule {
        ExpectationRule(
            .reaction.union([.sockets, .allConnections]),
            "keep-alives of TCP (TCP_KEEPIDLE, TCP_KEEPINTVL) or pings of the protocol, or closing what is idle"
        ) { judge, _ in judge.keepingAlive(every: limit, ends.peer) }
    }
}
