// SPDX-License-Identifier: Apache-2.0

import ClientObservation
import Glibc
import Reports

/// `run --repeat`: a run for each of several seeds.
struct RepeatedRun {
    let count: Int
    let jobs: Int
    /// The first seed; nil if nothing is random.
    let seed: UInt64?
    let command: [String]
    let observation: ObservationOptions
    /// The command's user; nil for the current user.
    let user: String?

    /// Runs the command, prints what came out, and exits.
    func run() throws -> Never {
        let runner = try TrialRunner(jobs: jobs, user: user)
        let directory = try observation.report.map { try ReportDirectory($0, for: runner.account) }
        let trials = self.trials
        var display = TrialDisplay()
        let results = runner.run(trials) { states in
            display.draw {
                let begun = trials.indices.filter { if case .waiting = states[$0] { false } else { true } }.suffix(12)
                return TrialDisplay.lines(begun.map { trials[$0] }, begun.map { states[$0] }, heading: "RUN")
            }
        }
        display.erase()
        runner.dieIfInterrupted()
        let summary = TrialSummary(results: results.compactMap { $0 })
        Console.notes(Self.text(summary))
        let status = summary.exitStatus(strict: observation.strict)
        let isWritten = Failure.attempt {
            try directory?.write(
                summary.report("Repeated runs", command: command, below: observation.report ?? ""),
                summary.json(command: command),
                strict: observation.strict
            )
        }
        Glibc.exit(isWritten || status != 0 ? status : Linkcond.wrapperFailure)
    }

    private var trials: [Trial] {
        let shared = CommandLine.options(
            without: ["--seed", "--repeat", "--jobs", "--report", "--report-descriptor", "--progress"]
        )
        let command = CommandLine.lastArguments(command.count)
        return (0..<count).map { number in
            let seed = seed.map { $0 &+ UInt64(number) }
            return Trial(
                name: "run \(number + 1)" + (seed.map { ", seed \($0)" } ?? ""),
                options: shared + (seed.map { ["--seed", "\($0)"] } ?? []),
                command: command,
                directory: observation.report.map { "\($0)/run-\(number + 1)" },
                isWatched: TrialDisplay.isShown
            )
        }
    }

    /// What came out, for people.
    static func text(_ summary: TrialSummary) -> String {
        let reports = summary.results.compactMap(\.report)
        var table = Table(header: ["EXPECTATION", "PASSED", "FAILED", "INCONCLUSIVE"])
        let succeeded = summary.results.count { $0.status == 0 }
        table.add(["the command exits with 0", "\(succeeded)", "\(reports.count - succeeded)", "0"])
        for (index, result) in (reports.first?.results ?? []).enumerated() {
            let verdicts = reports.map { $0.results.indices.contains(index) ? $0.results[index].verdict : .skipped }
            table.add(
                [result.expectation]
                    + [Verdict.pass, .fail, .inconclusive].map { wanted in
                        "\(verdicts.count { $0 == wanted })"
                    }
            )
        }
        let failures = summary.results.filter(\.isFailure)
        let answered = reports.count - summary.results.count { $0.isUndecided }
        var lines = table.lines().map(\.text)
        lines.append(rate(WilsonInterval(failures.count, of: answered)))
        let broken = summary.results.filter { $0.report == nil }
        for result in broken { lines.append("\(result.trial.name): linkcond failed: \(result.failure ?? "")") }
        for result in failures {
            lines.append("\(result.trial.name) failed: \(result.finding ?? "exit status \(result.status ?? 0)")")
            let repetition = (result.report?.setting.repetition ?? []).map(\.shellWord).joined(separator: " ")
            lines.append("  to repeat it: \(repetition)")
        }
        return lines.joined(separator: "\n")
    }

    /// How many failed, as a sentence.
    static func rate(_ interval: WilsonInterval) -> String {
        guard let share = interval.share else { return "no run has an answer" }
        let range = "\(percent(interval.range.lowerBound)) to \(percent(interval.range.upperBound))"
        return "\(interval.successes) of \(interval.runs) runs failed: \(percent(share)) (95 % interval: \(range))"
    }
}

extension TrialResult {
    /// Whether the command failed, or an expectation.
    var isFailure: Bool { status.map { $0 != 0 } == true || report?.verdict == .fail }

    /// Whether neither success nor failure can be said.
    var isUndecided: Bool { report?.verdict == .inconclusive && status == 0 }
}
