// SPDX-License-Identifier: Apache-2.0

import ClientVerdicts
import LinkProfiles
import Testing

@testable import Reports

struct TrialsReportTests {
    private func report(strict: Bool = false, _ runs: (status: Int32?, verdict: Verdict)...) -> TrialsReport {
        let trials = runs.map { status, verdict in
            TrialsReport.Trial(
                name: "run",
                directory: nil,
                log: "output.log",
                status: status,
                failure: status == nil ? "no network" : nil,
                report: status.map {
                    Example.report(
                        results: [Example.result("at most 1 connection", verdict, "so")],
                        outcome: .exited($0)
                    )
                },
                duration: .seconds(1),
                lastLines: []
            )
        }
        var context = Example.trials(trials).context
        context.isStrict = strict
        return TrialsReport(context, Example.trials(trials).trials)
    }

    @Test
    func takesTheGravestExitStatus() {
        #expect(report(strict: true, (0, .pass), (0, .pass)).exitStatus == 0)
        #expect(report((0, .pass), (0, .fail)).exitStatus == 1)
        #expect(report((0, .fail), (0, .pass), (3, .pass), (4, .pass)).exitStatus == 3)
        #expect(report((3, .pass), (nil, .pass), (0, .fail)).exitStatus == 125)
    }

    @Test
    func takesDoubtForAFailureOnlyIfAsked() {
        let doubtful = report((0, .pass), (0, .inconclusive))
        #expect(doubtful.exitStatus == 0)
        #expect(report(strict: true, (0, .pass), (0, .inconclusive)).exitStatus == 1)
    }

    @Test
    func saysWhatHelpsOnceInTheSummary() {
        let text = SummaryText(report((0, .fail), (0, .fail), (0, .pass))).text
        let remedy = "- at most 1 connection: what usually helps is a cap."
        #expect(text.split(separator: "\n").count { $0 == remedy } == 1)
        #expect(!SummaryText(report((0, .pass))).text.contains("what usually helps"))
    }

    /// A command that hung must not be hidden behind what it did before.
    @Test
    func showsAllThatWentWrongAndHowTheCommandEndedFirst() {
        let report = Example.report(
            results: [
                Example.result("at most 1 connection", .fail, "4 connections"),
                Example.result("first byte within 1 s", .inconclusive, "no attempt"),
                Example.result("completes within 5 s", .fail, "the command was ended after 9 s"),
            ],
            outcome: .timedOut
        )
        var trial = TrialsReport.Trial(
            name: "Slow Net",
            directory: nil,
            log: "output.log",
            status: 124,
            failure: nil,
            report: report,
            duration: .seconds(9),
            lastLines: []
        )
        let findings = [
            "the command exceeded its time limit and was ended", "at most 1 connection: 4 connections",
            "completes within 5 s: the command was ended after 9 s",
        ]
        #expect(trial.findings == findings)
        let all = Example.trials([trial])
        let lines = SummaryText(all).text.split(separator: "\n")
        for (finding, start) in zip(findings, ["| Slow Net | FAIL | 124 |", "|  |  |  |", "|  |  |  |"]) {
            #expect(lines.contains { $0.hasPrefix(start) && $0.hasSuffix(" \(finding) |") }, "\(lines)")
        }
        let page = TrialsPage(all).text
        for words in findings.flatMap({ $0.split(separator: ": ") }) { #expect(page.contains(words), "\(words)") }
        trial.report?.outcome = .exited(0)
        trial.report?.results.removeAll { $0.verdict == .fail }
        #expect(trial.findings == ["first byte within 1 s: no attempt"])
        (trial.report, trial.failure) = (nil, "no network")
        #expect(trial.findings == ["no network"])
    }

    @Test
    func showsFirstWhatFailedOfTooManyRuns() {
        let report = report((0, .pass), (0, .fail), (0, .pass))
        #expect(report.failedFirst(limit: 3).map(\.isFailure) == [false, true, false])
        #expect(report.failedFirst(limit: 2).map(\.isFailure) == [true, false])
    }

    /// Tables keep some of very many runs; the file and --json have all.
    @Test
    func writesEachOfVeryManyRuns() throws {
        let trials = (0..<1500).map { index in
            TrialsReport.Trial(
                index: index,
                name: "run \(index)",
                directory: nil,
                log: "output.log",
                status: nil,
                failure: "no network",
                report: nil,
                duration: .zero,
                lastLines: []
            )
        }
        let report = Example.trials(trials)
        #expect(report.trials.count == 1000 && report.tally.runs == 1500)
        var text = ""
        report.writeSummary(trials.lazy.map { $0.json(below: nil).text }) { text += $0 }
        let runs: [Index] = try #require(JSON(utf8: (text + "\n}").utf8).required("runs"))
        #expect(runs.map(\.value) == Array(0..<1500))
    }

    private struct Index: JSONObject {
        static let blank = Self()
        var value = 0
        mutating func describe(_ members: inout JSONMembers) { members.required("index", &value) }
    }
}
