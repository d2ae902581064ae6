// SPDX-License-Identifier: Apache-2.0

import ClientVerdicts
import Testing

@testable import Reports

struct TrialsPageTests {
    @Test
    func givesEachCellItsReason() {
        let results = [
            Example.result("completes within 1 s", .fail, "the command ended after 10 s"),
            Example.result("exits with 0", .pass, "the command exited with 0"),
        ]
        let trial = TrialsReport.Trial(
            name: "Slow Net",
            directory: "slow-net",
            log: "output.log",
            status: 0,
            failure: nil,
            report: Example.report(results: results),
            duration: .seconds(10),
            lastLines: ["the client's word", "linkcond: FAIL  completes within 1 s"]
        )
        let page = TrialsPage(
            Example.trials([trial])
        ).text
        let failure = "data-name=\"completes within 1 s\"><span class=\"verdict fail\">FAIL</span><p>the command ended"
        #expect(page.contains("class=\"cell fail\" \(failure) after 10 s"))
        let pass = "data-name=\"exits with 0\"><span class=\"verdict pass\">pass</span><p>the command exited with 0"
        #expect(page.contains("class=\"cell pass\" \(pass)"))
        #expect(page.contains("the client&#39;s word"))
        // It stands above in other words.
        #expect(!page.contains("linkcond: FAIL"))
    }

    private func trial(_ name: String, _ results: [RunReport.Result], _ end: CommandEnd = .exited(0))
        -> TrialsReport.Trial
    {
        TrialsReport.Trial(
            name: name,
            directory: nil,
            log: "output.log",
            status: end == .exited(0) ? 0 : 124,
            failure: nil,
            report: Example.report(results: results, outcome: end),
            duration: .seconds(1),
            lastLines: []
        )
    }

    /// What fails everywhere is one finding, with one remedy.
    @Test
    func tellsAFindingOfSeveralRunsOnce() throws {
        let expectation = "at most 2 connections"
        let trials = [
            trial("Wi-Fi", [Example.result(expectation, .fail, "5 connections")]),
            trial("3G", [Example.result(expectation, .fail, "5 connections")]),
            trial("Edge", [Example.result(expectation, .fail, "9 connections")], .timedOut),
            trial("Lift", [Example.result(expectation, .inconclusive, "nobody knows")]),
            trial("LTE", [Example.result(expectation, .pass, "2 connections")]),
        ]
        let report = Example.trials(trials)
        let groups = report.tally.findings.sorted
        #expect(groups.map(\.title) == [expectation, "the command exceeded its time limit and was ended", expectation])
        #expect(groups.map(\.kind) == [.fail, .fail, .inconclusive])
        #expect(groups.map(\.runCount) == [3, 1, 1])
        #expect(groups[0].cases.map { $0.trials.map(\.name) } == [["Wi-Fi", "3G"], ["Edge"]])
        let page = TrialsPage(report).text
        #expect(page.contains("5 runs: 1 passed, 3 failed, 1 inconclusive."))
        #expect(page.contains("3 of 5 runs</span>"))
        let remedies = page.matches(of: /What usually helps: a cap/).count
        #expect(remedies == 2, "one for each group")
    }
}
