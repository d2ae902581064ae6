// SPDX-License-Identifier: Apache-2.0

import ClientTraffic
import ClientVerdicts
import Exploration
import LinkProfiles
import Reports
import Trials

/// A finding of `explore`, for people and for programs.
extension ExploredFinding {
    /// The checks that failed, and why.
    private var failureWords: [(check: String, finding: String)] {
        let end = outcome.map { $0 == .timedOut ? "The command exceeded its time limit" : $0.sentence }
        return failures.map { check, finding in
            (check, finding ?? (check == TrialsReport.Trial.exitCheck ? end ?? "" : ""))
        }
    }

    /// The failures, their frequency, and the command that repeats them.
    var lines: [OutputLine] {
        let rest = finding.isMinimal ? "nothing smaller fails" : "smaller ones were not all tried"
        var lines = [OutputLine("fails in \(finding.attempts.count) of \(finding.runs) runs; \(rest)")]
        lines += finding.timeline.words.map { OutputLine("  \($0)") }
        lines += failureWords.map {
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
            ("failures", .list(failureWords.map { JSON(("check", .text($0.check)), ("finding", .text($0.finding))) })),
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
