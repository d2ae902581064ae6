// SPDX-License-Identifier: Apache-2.0

/// The command exits with a status.
struct ExitsForm: ExpectationForm {
    static let phrase = "exits with"
    static let examples = [
        ExpectationExample("exits with 0", "the command exits with that status")
    ]

    let status: Int32

    static func read(_ parser: inout ExpectationParser) throws(UnreadableExpectation) -> ClientExpectation {
        ClientExpectation(.exits(with: try parser.number(in: 0...255, "an exit status from 0 to 255")))
    }

    func text(_ ends: ExpectationEnds) -> String { "\(Self.phrase) \(status)" }

    func rule(_ ends: ExpectationEnds) -> ExpectationRule {
        ExpectationRule([], "the command's own messages, which say why") { judge, _ in judge.exit(with: status) }
    }
}
