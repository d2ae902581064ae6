// SPDX-License-Identifier: Apache-2.0

import ClientTraffic
import ClientVerdicts
import Exploration
import LinkProfiles
import Reports
import Trials

/// A finding of `explore`, as text and as JSON.
extension ExploredFinding {
    /// The failed checks, each with the reason.
    private var failureWords: [(check: String, finding: String)] {
        let end = outcome.map { $0 == .timedOut ? "The command exceeded its time limit" : $0.sentence }
        return failures.map { check, finding in
            (check, finding ?? (check == TrialsReport.Trial.exitCheck ? end ?? "" : ""))
        }
    }

    /// The frequency of the failure, the disturbances, the failed checks, and the command that repeats the run.
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

    /// The JSON members of this finding; those of the first finding are also members of the search's JSON object.
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
