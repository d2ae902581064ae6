// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic

/// One form of expectation: its syntax, its meaning, its rationale, its remedy, and its judging.
///
/// To add a form, add a type in the folder Forms, a function of ``ClientJudge``, and a case of
/// ``ClientExpectation/Kind``: the compiler then asks for a line in `form`, and a test for one in `forms`.
protocol ExpectationForm: Sendable {
    /// The words with which each expectation of this form starts.
    static var phrase: String { get }
    /// Examples of this form, with their meaning.
    static var examples: [ExpectationExample] { get }
    /// Parses the words after the phrase.
    static func read(_ parser: inout ExpectationParser) throws(UnreadableExpectation) -> ClientExpectation

    /// The expectation as text, which parses to the same value.
    func text(_ ends: ExpectationEnds) -> String
    /// The rule: the expectation's rationale, the remedy for a client that fails it, and its judging.
    func rule(_ ends: ExpectationEnds) -> ExpectationRule
}

/// The peer and the label to which an expectation is limited.
struct ExpectationEnds {
    /// The only peer that counts; nil for all.
    let peer: Peer?
    /// The step or mark that the expectation is about; nil for the whole run.
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

/// An example of an expectation as text, for help and for suggestions.
package struct ExpectationExample: Hashable, Sendable {
    package let text: String
    /// The meaning of the expectation in words.
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

    /// The peer and the label to which the expectation is limited.
    var ends: ExpectationEnds { ExpectationEnds(peer: peer, label: label) }

    /// The rule by which the expectation is judged.
    var rule: ExpectationRule { kind.form.rule(ends) }
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
