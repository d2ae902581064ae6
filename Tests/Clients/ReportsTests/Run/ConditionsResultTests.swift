// SPDX-License-Identifier: Apache-2.0

import ClientVerdicts
import LinkProfiles
import Testing

@testable import Reports

/// A fault that never happened is no success, and no failure: every form of a report names it.
struct ConditionsResultTests {
    private static let missed = ConditionsPart(
        "fault 1 (reset: after 20 kB)",
        packets: 0,
        reason: "no connection carried 20 kB"
    )
    private static let met = ConditionsPart("step 'cut'", packets: 12, reason: nil)
    private static let ofCommand = ConditionsPart(
        "\"Slow\", set by python3,",
        packets: 0,
        reason: "so",
        isRequestedInside: true
    )

    private func report(_ parts: ConditionsPart..., strict: Bool = false) -> RunReport {
        var report = Example.report(results: [Example.result("exits with 0", .pass, "it did")])
        report.conditions = parts.map { RunReport.ConditionsResult($0, strict: strict) }
        return report
    }

    @Test func isSkippedAndDoubtfulIfStrict() {
        #expect(report(Self.missed).verdict == .pass)
        #expect(report(Self.missed, strict: true).verdict == .inconclusive)
        #expect(report(Self.met, strict: true).verdict == .pass)
        // A test suite may set what it does not use.
        #expect(report(Self.ofCommand, strict: true).verdict == .pass)
    }

    @Test func isReadBack() {
        var report = report(Self.missed, Self.met, Self.ofCommand, strict: true)
        let json = report.json
        report.timeline = nil
        #expect(RunReport(json: json) == report)
    }

    @Test func isNamedInEveryForm() {
        let report = report(Self.missed, Self.met)
        let sentence = "fault 1 (reset: after 20 kB) never met a packet: no connection carried 20 kB"
        #expect(report.missSentences == ["skipped  \(sentence)"])
        #expect(SummaryText(report).text.contains("- skipped  \(sentence)\n"))
        #expect(RunPage(report).text.contains("no connection carried 20 kB"))
        let junit = JUnitFile(report, strict: false).text
        #expect(junit.contains("<skipped message=\"\(sentence)\"") && junit.contains(#"failures="0""#))
    }

    @Test func failsATestCaseIfStrict() {
        let junit = JUnitFile(report(Self.missed, strict: true), strict: true).text
        #expect(junit.contains(#"failures="1""#) && junit.contains("inconclusive: fault 1"))
    }

    @Test func isWhatAMatrixShowsOfASuccess() {
        let trial = TrialsReport.Trial(
            name: "Test",
            directory: nil,
            log: "",
            status: 0,
            failure: nil,
            report: report(Self.missed),
            duration: .seconds(1),
            lastLines: []
        )
        #expect(trial.finding?.hasPrefix("fault 1 (reset: after 20 kB) never met a packet") == true)
        #expect(trial.isSuccess)
    }

    @Test func namesNoMoreThanPeopleRead() {
        let report = report(Self.missed)
        var many = report
        many.conditions = Array(repeating: report.conditions[0], count: 50)
        #expect(many.missSentences.count == 21 && many.missSentences.last?.hasPrefix("30 more") == true)
    }
}
