// SPDX-License-Identifier: Apache-2.0

/// The monitor's verdicts and the client's traffic do not contradict each other.
struct MonitorAgreesForm: ExpectationForm {
    static let phrase = "monitor agrees"
    static let examples = [
        ExpectationExample(
            "monitor agrees",
            "with --monitor: what it says of a target, and what the client gets from it, do not contradict each other"
        )
    ]

    static func read(_ parser: inout ExpectationParser) throws(UnreadableExpectation) -> ClientExpectation {
        ClientExpectation(.monitorAgrees)
    }

    func text(_ ends: ExpectationEnds) -> String { "\(Self.phrase)" }

    func rule(_ ends: ExpectationEnds) -> ExpectationRule {
        ExpectationRule(
            [.record, .wholeRecord, .hindsight],
            "reading the state of the network anew before reporting it"
        ) { judge, _ in MonitorComparison(judge).finding }
    }
}
