// SPDX-License-Identifier: Apache-2.0

package import ClientVerdicts
package import Exploration
package import LinkProfiles
package import Reports

/// A finding of a search, with the file of its scenario and a run in which the command failed.
package struct ExploredFinding {
    package let finding: TimelineFinding
    /// The path of the finding's scenario.
    package let file: String
    /// The result of a run in which the command failed as in the finding.
    private let trial: TrialsReport.Trial?
    package let runs: ExploredRuns
    /// The result of the run that was made for a report, and the report's directory; nil for none.
    package internal(set) var last: (trial: TrialsReport.Trial, directory: String)?

    package init(_ finding: TimelineFinding, _ trial: TrialsReport.Trial?, _ file: String, _ runs: ExploredRuns) {
        (self.finding, self.trial, self.file, self.runs) = (finding, trial, file, runs)
    }

    /// The number of the first attempt that failed.
    var attempt: Int { finding.attempts.first ?? 0 }
    /// The scenario to write.
    package var scenario: JSON { runs.scenario(finding.timeline) }
    /// The command line that repeats the attempt.
    package var repetition: [String] { runs.repetition(file, attempt: attempt) }

    /// The result to show: of the run with the report, if that failed, too; otherwise of the earlier run.
    private var shown: TrialsReport.Trial? { last.flatMap { $0.trial.isFailure ? $0.trial : nil } ?? trial }

    /// The parts of the timeline that met no packet, and so have no part in the failure.
    package var misses: [String] {
        (shown?.report?.missed ?? []).filter { $0.part.name != "step '\(DisturbanceTimeline.restored)'" }
            .compactMap(\.part.missSentence)
    }

    /// The checks that failed, each with its finding; nil for the check of the exit status, which `outcome` explains.
    package var failures: [(check: String, finding: String?)] {
        guard let trial = shown else { return [] }
        let failed = (trial.report?.results ?? []).filter { $0.verdict == .fail }
        return finding.checks.sorted().map { check in (check, failed.first { $0.expectation == check }?.finding) }
    }

    /// How the command ended; nil if that is not known.
    package var outcome: CommandEnd? { shown?.report?.outcome }
}
