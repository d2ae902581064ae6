// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ClientVerdicts

/// The forms of expectations.
@Suite struct ExpectationFormTests {
    /// A number for each kind: the compiler asks for that of a new one, and then the test below for its example.
    private static func number(of kind: ClientExpectation.Kind) -> Int {
        switch kind {
        case .completes: 0
        case .exits: 1
        case .firstByte: 2
        case .timesOut: 3
        case .closes: 4
        case .recovers: 5
        case .atMost: 6
        case .attemptsBackOff: 7
        case .leavesNoConnectionOpen: 8
        case .sendsNoRequestTwice: 9
        case .usesIPv4: 10
        case .fallsBackToTCP: 11
        case .migrates: 12
        case .resumes: 13
        case .asksDNSAgain: 14
        case .sendsKeepAlives: 15
        case .monitorAgrees: 16
        }
    }

    @Test func haveAnExampleOfEachKindThatIsReadAndWritten() throws {
        var kinds: Set<Int> = []
        for form in ClientExpectation.forms {
            for example in form.examples {
                let expectation = try ClientExpectation(parsing: example.text)
                #expect(type(of: expectation.kind.form) == form, "\(example.text)")
                #expect(try ClientExpectation(parsing: expectation.description) == expectation)
                #expect(!example.meaning.isEmpty && !expectation.rule.remedy.isEmpty, "\(example.text)")
                kinds.insert(Self.number(of: expectation.kind))
            }
        }
        #expect(kinds == Set(0..<ClientExpectation.forms.count) && kinds.contains(16))
    }

    /// A report would repeat another expectation otherwise.
    @Test func keepThePeerInTheirText() throws {
        var forms = 0
        for form in ClientExpectation.forms {
            let text = form.examples[0].text.replacing(
                form.phrase,
                with: "\(form.phrase) to 192.0.2.1:80",
                maxReplacements: 1
            )
            // Not every form has a peer there.
            guard let expectation = try? ClientExpectation(parsing: text) else { continue }
            forms += 1
            #expect(try ClientExpectation(parsing: expectation.description) == expectation)
            #expect(expectation.description.contains(" to 192.0.2.1:80"), "\(expectation)")
        }
        #expect(forms >= 5)
    }

    /// Each thing that is counted is explained.
    @Test func haveAnExampleOfEachCount() throws {
        let counted = try ClientExpectation.examples.compactMap { text -> ClientExpectation.Countable? in
            if case .atMost(_, let what) = try ClientExpectation(parsing: text).kind { what } else { nil }
        }
        #expect(counted == ClientExpectation.Countable.allCases)
    }

    /// Another two forms with the same first word would need a third to tell them apart.
    @Test func beginWithWordsThatTellThemApart() throws {
        let phrases = ClientExpectation.forms.map { $0.phrase.split(separator: " ") }
        #expect(Set(phrases.map { $0.prefix(2) }).count == phrases.count)
        for (text, problem) in [
            ("sends nothing", "\"no request twice\" or \"keep-alives\""), ("at least 3 requests", "\"most\""),
        ] {
            #expect {
                try ClientExpectation(parsing: text)
            } throws: {
                ($0 as? UnreadableExpectation)?.expected == problem
            }
        }
    }
}
