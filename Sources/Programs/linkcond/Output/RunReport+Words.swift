// SPDX-License-Identifier: Apache-2.0

import ClientTraffic
import ClientVerdicts
import Reports

extension RunReport {
    /// The notes on a run, and its verdicts.
    ///
    /// - Parameters:
    ///   - unknownEvents: the names of recorded events that this version does not know.
    ///   - isStrict: whether an inconclusive expectation is a failure.
    func lines(unknownEvents: Set<String>, strict isStrict: Bool) -> [String] {
        var lines: [String] = []
        if !unknownEvents.isEmpty {
            let names = unknownEvents.sorted().joined(separator: ", ")
            lines.append("note: events of the run's record mean nothing to this version: \(names)")
        }
        lines += (clockSentences + effectSentences).map { "note: \($0)" } + self.lines
        if let doubt = doubtSentence, !isStrict { lines.append("note: \(doubt); --strict makes that a failure") }
        return lines
    }
}
