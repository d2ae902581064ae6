// SPDX-License-Identifier: Apache-2.0

public import ClientVerdicts
public import Testing

/// The conditions of a test, or of each test of a suite, and the expectations of the test.
public struct ConditionedTrait: SuiteTrait, TestTrait, TestScoping {
    let link: ConditionedLink?
    let expectations: [ClientExpectation]

    /// True: the trait applies to each test of a suite, and not to the suite as a whole.
    public var isRecursive: Bool { true }

    /// Runs one test under the conditions, and records the expectations that were not met.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        let outcome: LinkConditioner.Outcome
        do {
            let name = test.id.nameComponents.joined(separator: "/")
            outcome = try await LinkConditioner.perform(under: link, expecting: expectations, test: name, function)
        } catch let error as LinkConditioner.Unavailable where !LinkConditioner.isAvailable {
            guard !LinkConditioner.isRequired else { throw error }
            #if compiler(>=6.3)
                try Test.cancel("\(error)")
            #else
                throw error
            #endif
        }
        report(outcome.judgements, of: test)
        for note in outcome.notes { warn(Comment(rawValue: note), of: test) }
    }

    private func report(_ judgements: [Judgement], of test: Test) {
        guard !judgements.isEmpty else { return }
        let lines = judgements.map { "\($0.verdict.rawValue): \($0.expectation): \($0.finding)" }
        Attachment.record(lines.joined(separator: "\n") + "\n", named: "expectations.txt")
        for (judgement, line) in zip(judgements, lines) where judgement.verdict != .pass {
            let remedy = judgement.remedy.map { "; what usually helps: \($0)" } ?? ""
            let text = Comment(rawValue: line + remedy)
            if judgement.verdict == .fail {
                Issue.record(text, sourceLocation: test.sourceLocation)
            } else {
                warn(text, of: test)
            }
        }
    }

    /// Records a warning, if this version of Swift Testing has warnings.
    private func warn(_ text: Comment, of test: Test) {
        #if compiler(>=6.3)
            Issue.record(text, severity: .warning, sourceLocation: test.sourceLocation)
        #endif
    }
}

extension Trait where Self == ConditionedTrait {
    /// Runs each test under a profile, or while a scenario plays, and then restores the earlier conditions.
    ///
    /// Tests that share the link of a sandbox take turns, across suites and processes.
    ///
    /// ```swift
    /// @Suite(.conditioned(by: "Slow Net"))
    /// struct SearchTests {
    ///     @Test(.conditioned(by: "Black Hole"), .expecting(.atMost(5, .connectionAttempts)))
    ///     func givesUp() async throws { ... }
    /// }
    /// ```
    ///
    /// Outside of `linkcond run`, a test is skipped, and the message shows the command to type. With
    /// LINKCOND_REQUIRED=1, the test fails.
    public static func conditioned(by link: ConditionedLink) -> Self {
        ConditionedTrait(link: link, expectations: [])
    }

    /// Judges each test by the packets of its running time: `linkcond run -- swift test`.
    ///
    /// A failed expectation is an issue of the test, and an inconclusive one a warning. An attachment lists all
    /// verdicts.
    public static func expecting(_ expectations: ClientExpectation...) -> Self {
        ConditionedTrait(link: nil, expectations: expectations)
    }
}
