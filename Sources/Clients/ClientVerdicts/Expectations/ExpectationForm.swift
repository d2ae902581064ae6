// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic

/// One form of expectation: how it is written, what it means, what it rests on, what helps, and how it is judged.
///
/// A new form is a type in the folder Forms and a function of ``ClientJudge``, with a case of ``ClientExpectation/Kind``: then
/// the compiler asks for a line in `form`, and a test for one in `forms`.
protocol ExpectationForm: Sendable {
    /// The words that all of this form begin with.
    static var phrase: String { get }
    /// Such expectations, and what they mean.
    static var examples: [ExpectationExample] { get }
    /// Reads what follows the phrase.
    static func read(_ parser: inout ExpectationParser) throws(UnreadableExpectation) -> ClientExpectation

    /// The expectation as text, which is read as the same.
    func text(_ ends: ExpectationEnds) -> String
    /// What it rests on, what helps a client that fails it, and how it is judged.
    func rule(_ ends: ExpectationEnds) -> Rule
}

/// What an expectation is limited to.
struct ExpectationEnds {
    /// The only peer that counts; nil for all.
    let peer: Peer?
    /// The step or mark that it is about; nil for the whole run.
    let label: String?

    /// " to HOST:PORT"; nothing for all peers.
    var to: String { peer.map { " to \($0)" } ?? "" }

    /// " of 'label'"; nothing for the whole run.
    var ofLabel: String { label(after: "of") }
    /// " during 'label'"; nothing for the whole run.
    var duringLabel: String { label(after: "during") }

    private func label(after word: String) -> String {
        guard let label else { return "" }
        let quote = label.contains("'") ? "\"" : "'"
        return " \(word) \(quote)\(label)\(quote)"
    }
}

/// An expectation as text, for people who look for one.
package struct ExpectationExample: Hashable, Sendable {
    package let text: String
    /// What it expects, in words.
    package let meaning: String

    init(_ text: String, _ meaning: String) { (self.text, self.meaning) = (text, meaning) }
}

extension ClientExpectation {
    /// The forms, in the order in which they are explained.
    static let forms: [any ExpectationForm.Type] = [
        CompletesForm.self, ExitsForm.self, FirstByteForm.self, TimesOutForm.self, ClosesForm.self, RecoversForm.self,
        AtMostForm.self, AttemptsBackOffForm.self, LeavesNoConnectionOpenForm.self, SendsNoRequestTwiceForm.self,
        UsesIPv4Form.self, FallsBackToTCPForm.self, AsksDNSAgainForm.self, ResumesForm.self, MigratesForm.self,
        SendsKeepAlivesForm.self, MonitorAgreesForm.self,
    ]

    /// What it is limited to.
    var ends: ExpectationEnds { ExpectationEnds(peer: peer, label: label) }

    /// The rule by which it is judged.
    var rule: Rule { kind.form.rule(ends) }
}

extension ClientExpectation: CustomStringConvertible {
    /// The expectation as text, which parses to the same value.
    public var description: String { kind.form.text(ends) }
}

extension ClientExpectation.Kind {
    var form: any ExpectationForm {
        switch self {
        case .completes(let limit): CompletesForm(limit: limit)
        case .exits(let status): ExitsForm(status: status)
        case .firstByte(let limit): FirstByteForm(limit: limit)
        case .timesOut(let limit): TimesOutForm(limit: limit)
        case .closes(let limit): ClosesForm(limit: limit)
        case .recovers(let limit): RecoversForm(limit: limit)
        case .atMost(let limit, let what): AtMostForm(limit: limit, what: what)
        case .attemptsBackOff: AttemptsBackOffForm()
        case .leavesNoConnectionOpen: LeavesNoConnectionOpenForm()
        case .sendsNoRequestTwice: SendsNoRequestTwiceForm()
        case .usesIPv4(let limit): UsesIPv4Form(limit: limit)
        case .fallsBackToTCP(let limit): FallsBackToTCPForm(limit: limit)
        case .migrates(let limit): MigratesForm(limit: limit)
        case .resumes: ResumesForm()
        case .asksDNSAgain(let limit): AsksDNSAgainForm(limit: limit)
        case .sendsKeepAlives(let limit): SendsKeepAlivesForm(limit: limit)
        case .monitorAgrees: MonitorAgreesForm()
        }
    }
}
