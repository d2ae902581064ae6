// SPDX-License-Identifier: Apache-2.0

import Reports
import Trials

/// The execution of `run --repeat`.
extension ObservedPlan {
    /// Runs the command `count` times, with consecutive seeds, prints the results, and exits.
    ///
    /// - Parameter directory: the directory for the report; nil for none.
    func `repeat`(_ count: Int, jobs: Int, report directory: String?) throws -> Never {
        let trials = repetitions(count, report: directory, isWatched: TrialDisplay.isShown)
        let (report, directory) = try TrialDisplay.run(trials, "Repeated runs", JobPace(fixed: jobs), directory) {
            states in
            let started = trials.indices.filter { if case .waiting = states[$0] { false } else { true } }.suffix(12)
            return TrialDisplay.lines(started.map { trials[$0] }, started.map { states[$0] }, heading: "RUN")
        }
        Console.notes(RepeatedRuns(report.trials).text)
        report.finish(directory, strict: isStrict)
    }
}
