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
            if !result.packets.isEmpty { lines.append("      packets: \(Self.list(result.packets))") }
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

    private static func list(_ packets: [Int]) -> String {
        let shown = packets.prefix(8).map(String.init).joined(separator: ", ")
        return packets.count > 8 ? "\(shown) and \(packets.count - 8) more" : shown
    }
}
