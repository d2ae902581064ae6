// SPDX-License-Identifier: Apache-2.0

import ClientObservation
import Exploration
import LinkProfiles
import Reports
import Sandboxing
import Trials

/// One of the findings of `explore`, for people and for programs.
struct ExploredFinding {
    let finding: TimelineFinding
    /// The file of its scenario.
    let file: String
    /// What came out of a run in which it failed.
    private let trial: TrialsReport.Trial?
    private let runs: ExploredRuns
    /// The run with a report, and its directory; nil for none.
    var last: (trial: TrialsReport.Trial, directory: String)?

    init(_ finding: TimelineFinding, _ trial: TrialsReport.Trial?, _ file: String, _ runs: ExploredRuns) {
        (self.finding, self.trial, self.file, self.runs) = (finding, trial, file, runs)
    }

    /// An attempt that failed.
    var attempt: Int { finding.attempts.first ?? 0 }
    /// The scenario to write.
    var scenario: JSON { runs.scenario(finding.timeline) }

    /// The run that is told of.
    private var shown: TrialsReport.Trial? { last.flatMap { $0.trial.isFailure ? $0.trial : nil } ?? trial }

    /// What of the timeline met no packet: it has no part in the failure.
    private var misses: [String] {
        (shown?.report?.missed ?? []).filter { $0.part.name != "step '\(Timeline.restored)'" }
            .compactMap(\.part.missSentence)
    }

    /// What failed, and what was seen.
    private var failures: [(check: String, finding: String)] {
        guard let trial = shown else { return [] }
        let failed = (trial.report?.results ?? []).filter { $0.verdict == .fail }.map { ($0.expectation, $0.finding) }
        let end = trial.report.map {
            $0.outcome == .timedOut ? "The command exceeded its time limit" : $0.outcome.sentence
        }
        return finding.checks.sorted().map { check in
            (check, failed.first { $0.0 == check }?.1 ?? (check == TrialsReport.Trial.exitCheck ? end ?? "" : ""))
        }
    }

    private var repetition: [String] { runs.repetition(file, attempt: attempt) }

    /// What fails, how often, and what repeats it.
    var lines: [OutputLine] {
        let rest = finding.isMinimal ? "nothing smaller fails" : "smaller ones were not all tried"
        var lines = [OutputLine("fails in \(finding.attempts.count) of \(finding.runs) runs; \(rest)")]
        lines += finding.timeline.words.map { OutputLine("  \($0)") }
        lines += failures.map {
            OutputLine(heading: "FAIL ", $0.finding.isEmpty ? $0.check : "\($0.check): \($0.finding)")
        }
        lines += misses.map { OutputLine($0) }
        if let last, !last.trial.isFailure { lines.append("the run of the report did not fail") }
        lines.append("scenario: \(file)")
        if let last { lines.append("report: \(last.directory)") }
        return lines + ["to repeat it: \(repetition.shellLine)"]
    }

    /// The members of the JSON of the first finding, which stand beside those of the search as well.
    var members: [(String, JSON?)] {
        [
            ("finding", finding.json(runs)),
            ("failures", .list(failures.map { JSON(("check", .text($0.check)), ("finding", .text($0.finding))) })),
            ("file", .text(file)),
            ("scenario", scenario),
            ("repeat", .list(repetition.map { JSON(.string($0)) })),
        ]
    }

    var json: JSON { JSON(members: members + [("report", .text(last?.directory))]) }
}

extension TimelineFinding {
    func json(_ runs: ExploredRuns) -> JSON {
        JSON(
            ("words", .list(timeline.words.map { JSON(.string($0)) })),
            ("kinds", .list(timeline.kinds.map { JSON(.string($0.rawValue)) })),
            ("failed", .number(attempts.count)),
            ("runs", .number(self.runs)),
            ("minimal", .bool(isMinimal)),
            ("seeds", .list(attempts.map { JSON(.number("\(runs.seed($0))")) }))
        )
    }
}
