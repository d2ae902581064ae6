// SPDX-License-Identifier: Apache-2.0

import ClientVerdicts
import LinkProfiles
import Testing

@testable import Reports

struct RunReportTests {
    @Test
    func isReadBackWithoutItsTimeline() {
        var report = Example.report(results: [Example.result("exits with 0", .pass, "it did")], outcome: .killed(9))
        report.totals.undelivered = 3
        report.clockChanges = [RunReport.ClockChange(time: .seconds(3.25), change: .seconds(-7200))]
        let json = report.json
        report.timeline = nil
        #expect(RunReport(json: json) == report)
    }

    /// A report may be others' input.
    @Test(arguments: ["1e300", "-1e10", "null"])
    func isNotReadWithADurationThatNoRunHas(seconds: String) throws {
        let json = Example.report().json
        #expect(RunReport(json: json) != nil)
        #expect(RunReport(json: json.replacing("durationSeconds", try JSON(utf8: seconds.utf8))) == nil)
    }

    @Test
    func keepsTheOrderOfItsMembers() {
        var report = Example.report(results: [Example.result("exits with 0", .pass, "it did")], outcome: .killed(9))
        (report.timeline, report.output, report.context.scenario) = (nil, nil, "s")
        report.context.serverCongestion = "cubic"
        report.conditions = [RunReport.ConditionsResult(.init("p", packets: 0, reason: "r"), strict: true)]
        report.tests = [TestVerdicts("t", from: Example.instant(1), to: Example.instant(2.5), [])]
        report.testCount = 1
        report.clockChanges = [RunReport.ClockChange(time: .seconds(3.25), change: .seconds(-7200))]
        let names = [
            "version", "verdict", "command", "profile", "scenario", "seed", "randomSequence", "engine",
            "serverCongestion", "kernel", "linkcond", "repeat", "begin", "durationSeconds", "outcome", "expectations",
            "conditions", "totals", "testCount", "tests", "timeOfDaySet",
        ]
        let json = report.json
        #expect(json.members.map(\.name) == names)
        let part = #"[{ "part": "p", "packets": 0, "reason": "r", "verdict": "inconclusive" }]"#
        #expect(json["conditions"]?.line == part)
        let test = #"[{ "name": "t", "begin": 1.0, "end": 2.5, "verdict": "pass", "expectations": [] }]"#
        #expect(json["tests"]?.line == test)
        #expect(json["timeOfDaySet"]?.line == #"[{ "seconds": 3.25, "bySeconds": -7200.0 }]"#)
        let older = json.members.filter { $0.name != "randomSequence" }.map { ($0.name, Optional($0.value)) }
        #expect(RunReport(json: JSON(members: older))?.context.randomSequence == 1)
        #expect(RunReport(json: json.replacing("version", 2)) == nil)
    }

    @Test
    func saysThatTheTimeOfDayWasSet() {
        var report = Example.report()
        #expect(report.clockSentences.isEmpty && report.json["timeOfDaySet"] == nil)
        report.clockChanges = [
            RunReport.ClockChange(time: .seconds(1.5), change: .seconds(30)),
            RunReport.ClockChange(time: .seconds(4), change: .seconds(-2)),
        ]
        let sentences = [
            "the time of day was set forward by 30 s, 1.5 s after the start; all times are by the clock of the start",
            "the time of day was set back by 2 s, 4 s after the start; all times are by the clock of the start",
        ]
        #expect(report.clockSentences == sentences)
        for text in [SummaryText(report).text, RunPage(report).text] {
            #expect(sentences.allSatisfy { text.contains("Note: \($0).") })
        }
    }

    /// In every form.
    @Test(arguments: [CommandEnd.exited(3), .killed(9), .timedOut])
    func failsForACommandThatFailed(outcome: CommandEnd) {
        let report = Example.report(results: [Example.result("at most 3 connections", .pass, "1")], outcome: outcome)
        #expect(report.verdict == .fail)
        #expect(report.json["verdict"].flatMap { String(json: $0) } == "fail")
        #expect(SummaryText(report).text.hasPrefix("## FAIL: "))
        #expect(RunPage(report).text.contains("<title>FAIL: "))
        #expect(JUnitFile(report, strict: false).text.contains(#"failures="1""#))
    }

    @Test
    func saysHowManyExpectationsHaveNoAnswer() {
        let verdicts = [Verdict.pass, .inconclusive, .inconclusive]
        let report = Example.report(results: verdicts.map { Example.result("at most 3 connections", $0, "so") })
        #expect(report.doubtSentence == "2 of 3 expectations could not be judged")
        for text in [SummaryText(report).text, RunPage(report).text] {
            #expect(text.contains("2 of 3 expectations could not be judged."))
        }
        #expect(Example.report().doubtSentence == nil)
    }

    @Test
    func passesForACommandThatEndedAsExpected() {
        let results = [Example.result("exits with 3", .pass, "the command exited with 3")]
        let report = Example.report(results: results, outcome: .exited(3))
        #expect(report.verdict == .pass && !JUnitFile(report, strict: true).text.contains("<failure"))
        #expect(Example.report(results: results, outcome: .exited(4)).verdict == .fail)
    }

    @Test
    func listsTheFirstPacketsOfAFinding() {
        let result = Example.result("exits with 0", .fail, "it did not")
        #expect(result.packetList() == "3, 5")
        #expect(result.packetList(limit: 1) == "3 and 1 more")
    }
}
