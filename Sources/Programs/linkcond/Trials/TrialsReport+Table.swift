// SPDX-License-Identifier: Apache-2.0

import ClientVerdicts
import LinkProfiles
import Reports
import Statistics

extension TrialsReport {
    /// Prints the results.
    ///
    /// - Parameters:
    ///   - runs: all runs, in the order of the list: of very many, the report keeps only some for its tables.
    ///   - directory: the path of the report's directory; nil for none.
    func show(_ runs: some Sequence<Trial>, below directory: String?, asJSON: Bool) {
        if asJSON {
            writeSummary(runs.lazy.map { $0.json(below: directory).text }) { Console.piece($0) }
            Console.text("\n}")
        } else if tally.runs == 0 {
            // A note has said that the shard is empty.
        } else if !context.list.isMatrix {
            Console.notes(repetitionText)
        } else if context.list.repetitions > 1 {
            Console.data(networkTable)
            let failures = firstOfEachNetwork(trials.filter(\.isFailure)).map(\.repetitionText)
            if !failures.isEmpty { Console.notes(failures.joined(separator: "\n")) }
        } else {
            Console.data(table)
            for text in trials.compactMap({ $0.excerpt(below: directory) }) { Console.notes(text) }
        }
        if !asJSON, let coverage { Console.data(coverage.lines) }
        for sentence in missing { Console.failure(sentence) }
        if context.list.isMatrix, tally.verdict == .inconclusive, !context.isStrict {
            Console.failure("note: not every expectation has an answer; --strict makes that a failure")
        }
    }

    /// A row for each run.
    private var table: [OutputLine] {
        let header = [
            "PROFILE", "VERDICT", "STATUS", "TIME", "CONNECTIONS", "RETRANSMITTED", "DROPPED", "FINDINGS",
        ]
        var table = Table(header: header)
        for trial in trials {
            let totals = trial.report?.totals
            let counts = [totals?.connections, totals?.retransmissions, totals?.dropped]
            let cells =
                [trial.name, trial.word, trial.status.map { "\($0)" } ?? "-", trial.duration.words]
                + counts.map { $0.map { "\($0)" } ?? "-" }
            let findings = trial.findings
            table.add(cells + findings.prefix(1))
            for finding in findings.dropFirst() { table.add(cells.map { _ in "" } + [finding]) }
        }
        return table.lines()
    }

    /// A row for each network of repeated runs.
    private var networkTable: [OutputLine] {
        var table = Table(header: ["PROFILE", "VERDICT", "SURVIVED", "TIME", "FINDINGS"])
        for network in tally.networks {
            let cells = [network.name, network.word, network.survivalWords, network.medianDuration.words]
            let findings = network.findings.map { "\($0.title): \($0.count) of \(network.runs)" }
            table.add(cells + findings.prefix(1))
            for finding in findings.dropFirst() { table.add(cells.map { _ in "" } + [finding]) }
        }
        return table.lines()
    }

    /// The counts of `run --repeat` by expectation, and the failed runs, as text.
    private var repetitionText: String {
        let runs = tally.networks[0]
        var table = Table(header: ["EXPECTATION", "PASSED", "FAILED", "INCONCLUSIVE"])
        let others = runs.runs - runs.errors - runs.succeeded
        table.add(["the command exits with 0", "\(runs.succeeded)", "\(others)", "0"])
        for name in tally.expectations {
            guard let counts = runs.verdicts[name] else { continue }
            table.add([name, "\(counts.passed)", "\(counts.failed)", "\(counts.inconclusive)"])
        }
        let rate = WilsonInterval(runs.failed, of: runs.decided).words
        let failures = trials.filter(\.isFailure).map(\.repetitionText)
        return (table.lines().map(\.text) + [rate] + failures).joined(separator: "\n")
    }
}

extension TrialsReport.Trial {
    /// The findings of a run that failed, and the line that repeats it.
    fileprivate var repetitionText: String {
        guard let report else { return "\(name): linkcond failed: \(failure ?? "")" }
        var lines = ["\(name) failed: \(findings.first ?? "exit status \(status ?? 0)")"]
        lines += findings.dropFirst().map { "  \($0)" }
        return (lines + ["  to repeat it: \(report.repetitionLine)"]).joined(separator: "\n")
    }

    /// For a run that failed: the last lines of its output or the path of its log, with a heading; nil if it succeeded.
    fileprivate func excerpt(below report: String?) -> String? {
        guard !isSuccess else { return nil }
        if let report, let directory { return "\(name): see \(report)/\(directory)/\(log)" }
        // The table has linkcond's verdicts.
        let isJudged = self.report?.results.isEmpty == false
        let output = lastLines.filter { !isJudged || !$0.hasPrefix("linkcond: ") || $0.hasPrefix("linkcond: cannot ") }
        guard !output.isEmpty else { return nil }
        let lines = output.suffix(10).map { "  \($0)" }.joined(separator: "\n")
        return "\(name), the last lines of its output:\n\(lines)"
    }
}

extension WilsonInterval {
    fileprivate var words: String {
        guard let share else { return "no run has an answer" }
        let range = "\(percent(range.lowerBound)) to \(percent(range.upperBound))"
        return "\(successes) of \(runs) runs failed: \(percent(share)) (95 % interval: \(range))"
    }
}
