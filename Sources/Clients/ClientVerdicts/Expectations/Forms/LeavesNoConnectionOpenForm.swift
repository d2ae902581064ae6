// SPDX-License-Identifier: Apache-2.0

/// No process that is left after the command's end holds a connection.
struct LeavesNoConnectionOpenForm: ExpectationForm {
    static let phrase = "leaves no connection open"
    static let examples = [
        ExpectationExample("leaves no connection open", "no process that the command left holds a connection")
    ]

    static func read(_ parser: inout ExpectationParser) throws(UnreadableExpectation) -> ClientExpectation {
        ClientExpectation(.leavesNoConnectionOpen)
    }

    func text(_ ends: ExpectationEnds) -> String { "\(Self.phrase)" }

    func rule(_ ends: ExpectationEnds) -> ExpectationRule {
        ExpectationRule(
            [.record, .sockets],
            "ending the processes that it has started, and closing what they hold"
        ) { judge, _ in judge.leftOpen() }
    }
}
