// SPDX-License-Identifier: Apache-2.0

import ClientVerdicts
import Reports

extension RunReport {
    /// The verdicts, and the command line that repeats the run unless all verdicts are good.
    var lines: [String] {
        let isWell = !results.contains { $0.verdict == .fail || $0.verdict == .inconclusive }
        return results.flatMap(\.lines) + missSentences + (isWell ? [] : ["      to repeat it: \(repetitionLine)"])
    }
}

extension RunReport.Result {
    /// The verdict with its finding; for a failure, also the packets and a remedy.
    var lines: [String] {
        var lines = ["\(verdict.word)  \(expectation): \(finding)"]
        guard verdict == .fail else { return lines }
        if let packets = packetList(limit: 8) { lines.append("      packets: \(packets)") }
        if let remedy { lines.append("      what usually helps: \(remedy)") }
        return lines
    }
}
