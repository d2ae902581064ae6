// SPDX-License-Identifier: Apache-2.0

package import ClientVerdicts
package import Exploration
package import LinkProfiles
package import Reports

/// One of the findings of a search, with the file of its scenario and the runs in which it failed.
package struct ExploredFinding {
    package let finding: TimelineFinding
    /// The file of its scenario.
    package let file: String
    /// The result of a run in which it failed.
    private let trial: TrialsReport.Trial?
    package let runs: ExploredRuns
    /// The run with a report, and its directory; nil for none.
    package internal(set) var last: (trial: TrialsReport.Trial, directory: String)?

    package init(_ finding: TimelineFinding, _ trial: TrialsReport.Trial?, _ file: String, _ runs: ExploredRuns) {
        (self.finding, self.trial, self.file, self.runs) = (finding, trial, file, runs)
    }

    /// An attempt that failed.
    var attempt: Int { finding.attempts.first ?? 0 }
    /// The scenario to write.
    package var scenario: JSON { runs.scenario(finding.timeline) }
    /// The command line that repeats it.
    package var repetition: [String] { runs.repetition(file, attempt: attempt) }

    /// The run that shows it: that of its report, if that failed too.
    private var shown: TrialsReport.Trial? { last.flatMap { $0.trial.isFailure ? $0.trial : nil } ?? trial }

    /// The parts of the timeline that met no packet: they have no part in the failure.
    package var misses: [String] {
        (shown?.report?.missed ?? []).filter { $0.part.name != "step '\(DisturbanceTimeline.restored)'" }
            .compactMap(\.part.missSentence)
    }

    /// The checks that failed, each with its finding; nil for the end of the command, which `outcome` tells.
    package var failures: [(check: String, finding: String?)] {
        guard let trial = shown else { return [] }
        let failed = (trial.report?.results ?? []).filter { $0.verdict == .fail }
        return finding.checks.sorted().map { check in (check, failed.first { $0.expectation == check }?.finding) }
    }

    /// How the command ended; nil if that is not known.
    package var outcome: CommandEnd? { shown?.report?.outcome }
}
