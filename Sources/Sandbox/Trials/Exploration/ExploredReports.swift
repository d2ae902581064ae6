// SPDX-License-Identifier: Apache-2.0

internal import Exploration
internal import Glibc
package import Sandboxing

/// The reports of a search's findings, each from one more run. The first is in the directory itself, the others are in
/// directories below it.
package struct ExploredReports {
    private let path: String

    /// Makes the directory, and deletes the reports of an earlier search.
    package init(in path: String, for account: Account?) throws {
        self.path = path
        var number = 1
        repeat {
            _ = try ReportDirectory(directory(number), for: account, keepsRoom: false)
            number += 1
        } while access(directory(number), F_OK) == 0
    }

    private func directory(_ number: Int) -> String { number == 1 ? path : "\(path)/finding-\(number)" }

    /// Runs the command once more for each finding, with a report, and stores the results in `findings`.
    package func make(of findings: inout [ExploredFinding], _ runner: TrialRunner) throws {
        guard runner.interruption == nil, !findings.isEmpty else { return }
        let trials = try findings.enumerated().map { index, found in
            try found.runs.trial(
                TimelineRun(found.finding.timeline, attempt: found.attempt),
                left: .seconds(86_400),
                report: directory(index + 1),
                words: found.runs.words(scenario: found.file)
            )
        }
        for (index, result) in runner.run(trials, observe: { _ in }).enumerated() {
            findings[index].last = result.map { ($0, directory(index + 1)) }
        }
    }
}
