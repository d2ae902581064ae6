// SPDX-License-Identifier: Apache-2.0

import ClientObservation
import LinkConditioning
import Reports
import Sandboxing
import Statistics
import Trials

/// `run --repeat`.
extension ObservedPlan {
    /// Runs the command with one seed after the other, prints what came out, and exits.
    ///
    /// - Parameter directory: that of the report; nil for none.
    func `repeat`(_ count: Int, jobs: Int, report directory: String?) throws -> Never {
        // Without conditions nothing is random.
        let first = sandbox.conditions.map { $0.request.seed ?? UInt64.random(in: 0...UInt64(UInt32.max)) }
        let trials = (0..<count).map { number in
            let seed = first.map { $0 &+ UInt64(number) }
            return Trial(
                "run \(number + 1)" + (seed.map { ", seed \($0)" } ?? ""),
                self,
                seed: seed,
                report: directory,
                directory: "run-\(number + 1)",
                isWatched: TrialDisplay.isShown
            )
        }
        let (report, directory) = try TrialDisplay.run(trials, "Repeated runs", JobPace(fixed: jobs), directory) {
            states in
            let started = trials.indices.filter { if case .waiting = states[$0] { false } else { true } }.suffix(12)
            return TrialDisplay.lines(started.map { trials[$0] }, started.map { states[$0] }, heading: "RUN")
        }
        Console.notes(report.sameRuns)
        report.finish(directory, strict: isStrict)
    }
}

extension TrialsReport {
    /// What came out of runs that differ in their seed, for people.
    fileprivate var sameRuns: String {
        let reports = trials.compactMap(\.report)
        var table = Table(header: ["EXPECTATION", "PASSED", "FAILED", "INCONCLUSIVE"])
        let succeeded = trials.count { $0.status == 0 }
        table.add(["the command exits with 0", "\(succeeded)", "\(reports.count - succeeded)", "0"])
        for (index, result) in (reports.first?.results ?? []).enumerated() {
            let verdicts = reports.map { $0.results.indices.contains(index) ? $0.results[index].verdict : .skipped }
            table.add(
                [result.expectation]
                    + [Verdict.pass, .fail, .inconclusive].map { verdict in "\(verdicts.count { $0 == verdict })" }
            )
        }
        let failures = trials.filter { $0.report != nil && $0.isFailure }
        var lines = table.lines().map(\.text)
        lines.append(WilsonInterval(failures.count, of: reports.count - trials.count { $0.isUndecided }).failureRate)
        for trial in trials where trial.report == nil {
            lines.append("\(trial.name): linkcond failed: \(trial.failure ?? "")")
        }
        for trial in failures {
            let findings = trial.findings
            lines.append("\(trial.name) failed: \(findings.first ?? "exit status \(trial.status ?? 0)")")
            lines += findings.dropFirst().map { "  \($0)" }
            lines.append("  to repeat it: \(trial.report?.repetitionLine ?? "")")
        }
        return lines.joined(separator: "\n")
    }
}

extension WilsonInterval {
    fileprivate var failureRate: String {
        guard let share else { return "no run has an answer" }
        let range = "\(percent(range.lowerBound)) to \(percent(range.upperBound))"
        return "\(successes) of \(runs) runs failed: \(percent(share)) (95 % interval: \(range))"
    }
}
