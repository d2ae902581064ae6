// SPDX-License-Identifier: Apache-2.0

import ClientVerdicts
import LinkProfiles
import Testing

@testable import Reports

/// The verdicts of tests inside of a run, in every form of its report.
struct TestVerdictsReportTests {
    private static func test(_ name: String?, _ results: [RunReport.Result]) -> TestVerdicts {
        TestVerdicts(name, from: Example.instant(1), to: Example.instant(2.5), results)
    }

    private static var report: RunReport {
        var report = Example.report(outcome: .exited(1))
        report.tests = [
            test("test_a.py::test_keeps", [Example.result("at most 9 requests", .pass, "2 requests")]),
            test("test_a.py::test_breaks[<b>|]", [Example.result("at most 1 request", .fail, "2 requests")]),
            test(nil, [Example.result("closes within 1 s of 'left'", .inconclusive, "nothing was open")]),
        ]
        report.testCount = 3
        return report
    }

    @Test
    func areReadBack() {
        var report = Self.report
        let json = report.json
        report.timeline = nil
        #expect(RunReport(json: json) == report)
        #expect(Example.report().json["tests"] == nil && Example.report().json["testCount"] == nil)
    }

    @Test
    func areNotTheRunsOwn() {
        var report = Self.report
        report.outcome = .exited(0)
        #expect(report.verdict == .pass && report.word == "done")
        #expect(JUnitFile(report, strict: true).text.contains(#"tests="4" failures="0" errors="0" skipped="2""#))
    }

    @Test
    func areCountedAndListedInTheSummary() {
        let text = SummaryText(Self.report).text
        #expect(text.contains("Verdicts of tests inside: 1 pass, 1 FAIL, 1 inconclusive.\n"))
        let row = #"| FAIL | test\_a.py::test\_breaks\[&lt;b&gt;\|\] | at most 1 request | 2 requests |"#
        #expect(text.contains(row))
        #expect(text.contains("| inconclusive | from 1 s to 2.5 s | closes within 1 s of 'left' | nothing was open |"))
        #expect(!text.contains("test\\_keeps"))
    }

    @Test
    func standOnThePageFailuresFirst() throws {
        let page = RunPage(Self.report).text
        #expect(page.contains("<h2>Verdicts of tests</h2>"))
        let failure = try #require(page.firstRange(of: "test_a.py::test_breaks[&lt;b&gt;|]"))
        let success = try #require(page.firstRange(of: "test_a.py::test_keeps"))
        #expect(failure.lowerBound < success.lowerBound)
        #expect(!RunPage(Example.report()).text.contains("Verdicts of tests"))
    }

    /// pytest's own file counts them; a failure of one is a failure of the command here, and says which it was.
    @Test
    func areTestCasesWhoseFailuresTheCommandHas() {
        let text = JUnitFile(Self.report, strict: true).text
        #expect(text.contains(#"tests="4" failures="1" errors="0" skipped="2""#))
        let inside = #"classname="linkcond.Slow Net, tests inside" name="test_a.py::test_"#
        #expect(
            text.contains("\(inside)keeps\" time=\"1.500\"/>") || text.contains("\(inside)keeps\" time=\"1.500\"></")
        )
        #expect(text.contains(#"<skipped message="FAIL: at most 1 request: 2 requests""#))
        #expect(text.contains("test_a.py::test_breaks[&lt;b&gt;|]: at most 1 request: 2 requests\nto repeat it: "))
    }

    @Test
    func areBounded() {
        var report = Example.report()
        let name = String(repeating: "n", count: 5000)
        let results = (0..<100).map { _ in Example.result(name, .fail, name) }
        report.tests = (0..<1000).map { _ in Self.test(name, results) }
        report.testCount = 5000
        let page = RunPage(report).text
        #expect(page.utf8.count < 5_000_000 && page.contains("The first 500 of 100000 verdicts are shown"))
        #expect(page.contains("1000 FAIL (the first 1000 of 5000)"))
        #expect(SummaryText(report).text.utf8.count < 1_000_000)
    }
}
