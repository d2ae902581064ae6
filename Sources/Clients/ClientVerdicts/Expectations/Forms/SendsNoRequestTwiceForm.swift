// SPDX-License-Identifier: Apache-2.0

/// The client repeats no request that the server may have carried out.
struct SendsNoRequestTwiceForm: ExpectationForm {
    static let phrase = "sends no request twice"
    static let examples = [
        ExpectationExample(
            "sends no request twice",
            "no request is sent again after its connection failed, unless that is safe"
        )
    ]

    static func read(_ parser: inout ExpectationParser) throws(UnreadableExpectation) -> ClientExpectation {
        ClientExpectation(.sendsNoRequestTwice)
    }

    func text(_ ends: ExpectationEnds) -> String { "\(Self.phrase)" }

    func rule(_ ends: ExpectationEnds) -> ExpectationRule {
        // A request whose answer was not seen looks like a repeated one.
        ExpectationRule(
            .reaction.union(.hindsight),
            "an Idempotency-Key, or asking the server before it is sent again"
        ) { judge, _ in judge.repeatedRequests(ends.peer) }
    }
}
