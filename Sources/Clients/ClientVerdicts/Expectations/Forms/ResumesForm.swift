// SPDX-License-Identifier: Apache-2.0

/// The client repeats a request whose answer was interrupted for the rest only.
struct ResumesForm: ExpectationForm {
    static let phrase = "resumes"
    static let examples = [
        ExpectationExample("resumes", "a GET whose answer was interrupted is sent again with a Range for the rest only")
    ]

    static func read(_ parser: inout ExpectationParser) throws(UnreadableExpectation) -> ClientExpectation {
        ClientExpectation(.resumes, to: try parser.peer())
    }

    func text(_ ends: ExpectationEnds) -> String { "\(Self.phrase)\(ends.to)" }

    func rule(_ ends: ExpectationEnds) -> ExpectationRule {
        ExpectationRule(
            .reaction.union([.sockets, .hindsight]),
            "a Range from the bytes that are there, with If-Range and the ETag (RFC 9110, section 14)"
        ) { judge, _ in judge.resumption(ends.peer) }
    }
}
