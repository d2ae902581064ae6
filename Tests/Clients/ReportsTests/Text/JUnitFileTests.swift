// SPDX-License-Identifier: Apache-2.0

import ClientVerdicts
import Testing

@testable import Reports

struct JUnitFileTests {
    private let results = [
        Example.result("completes within 30 s", .pass, "it took 10 s"),
        Example.result("at most 1 connection", .fail, "3 connections"),
        Example.result("closes within 1 s of 'left'", .inconclusive, "nothing was open"),
    ]

    @Test
    func hasATestCaseForEachExpectationAndTheCommand() {
        let file = JUnitFile(Example.report(results: results), strict: false).text
        #expect(file.contains("tests=\"4\" failures=\"1\" errors=\"0\" skipped=\"1\" time=\"10.000\""))
        #expect(file.contains("timestamp=\"2023-11-14T22:13:20\""))
        #expect(file.contains("<failure message=\"3 connections\" type=\"linkcond\">"))
        #expect(file.contains("<skipped message=\"inconclusive: nothing was open\">"))
    }

    @Test
    func makesAnExpectationWithoutAnAnswerAFailureIfStrict() {
        let file = JUnitFile(Example.report(results: results), strict: true).text
        #expect(file.contains("failures=\"2\" errors=\"0\" skipped=\"0\""))
    }

    @Test
    func makesACommandThatFailsAFailure() {
        let file = JUnitFile(Example.report(outcome: .killed(9)), strict: false).text
        #expect(file.contains("<failure message=\"Signal 9 ended the command\""))
    }

    @Test
    func holdsTheOutputOfACommandThatFailed() {
        var report = Example.report(outcome: .exited(1))
        report.output = CommandOutput([
            .init(.output, .file, tail: FileTail(Array("no \u{1B}[1m<word>\n".utf8)[...], of: 14))
        ])
        let file = JUnitFile(report, strict: false).text
        #expect(file.contains("<system-out>no \\u001b[1m&lt;word&gt;</system-out>"))
        report.outcome = .exited(0)
        #expect(!JUnitFile(report, strict: false).text.contains("system-out"))
    }

    @Test
    func makesAFailureOfLinkcondAnError() {
        let trial = TrialsReport.Trial(
            name: "Slow Net",
            directory: nil,
            log: "output.log",
            status: nil,
            failure: "no network",
            report: nil,
            duration: .seconds(1),
            lastLines: []
        )
        let report = Example.trials([trial])
        let file = Example.junit(report)
        #expect(file.contains("<error message=\"linkcond failed\" type=\"linkcond\">no network</error>"))
        #expect(file.contains("errors=\"1\""))
    }
}
