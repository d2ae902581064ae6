// SPDX-License-Identifier: Apache-2.0

import Reports
import Statistics
import Trials

extension RepeatedRuns {
    /// The counts by expectation, and the failed runs, as text.
    var text: String {
        var table = Table(header: ["EXPECTATION", "PASSED", "FAILED", "INCONCLUSIVE"])
        table.add(["the command exits with 0", "\(succeeded)", "\(notSucceeded)", "0"])
        for each in counts {
            table.add([each.expectation, "\(each.passed)", "\(each.failed)", "\(each.inconclusive)"])
        }
        var lines = table.lines().map(\.text)
        lines.append(failureRate.words)
        for trial in unreported { lines.append("\(trial.name): linkcond failed: \(trial.failure ?? "")") }
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
    fileprivate var words: String {
        guard let share else { return "no run has an answer" }
        let range = "\(percent(range.lowerBound)) to \(percent(range.upperBound))"
        return "\(successes) of \(runs) runs failed: \(percent(share)) (95 % interval: \(range))"
    }
}
