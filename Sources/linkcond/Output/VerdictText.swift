// SPDX-License-Identifier: Apache-2.0

import ClientObservation
import Reports

/// Verdicts, for people.
struct VerdictText {
    let results: [RunReport.Result]

    /// A line for each expectation, with what was seen; what failed with its packets and a remedy.
    var lines: [String] {
        var lines: [String] = []
        for result in results {
            lines.append("\(result.verdict.word)  \(result.expectation): \(result.finding)")
            guard result.verdict == .fail else { continue }
            if let packets = result.packetList(limit: 8) { lines.append("      packets: \(packets)") }
            if let remedy = result.remedy { lines.append("      what usually helps: \(remedy)") }
        }
        return lines
    }

    /// The lines of a run, with the command line that repeats it unless all is well.
    static func lines(of report: RunReport) -> [String] {
        let lines = VerdictText(results: report.results).lines
        guard report.verdict == .fail || report.verdict == .inconclusive else { return lines }
        return lines + ["      to repeat it: \(report.repetitionLine)"]
    }
}
