// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Reachability

/// The tables of `monitor`, with a row for each target.
enum TargetTable {
    /// The current state of each target, with a curve of the latest round-trip times if `hasCurve`.
    static func current(_ rows: [TargetStatistics], hasCurve: Bool) -> [OutputLine] {
        let header = ["TARGET", "STATE", "RTT", "P50", "P95", "LOST"] + (hasCurve ? ["LAST"] : [])
        return Table(header: header, of: rows) { row in
            [
                row.status.target.description, row.status.words, (row.recent.last ?? nil).words,
                row.percentile(0.5).words, row.percentile(0.95).words, percent(row.loss),
            ] + (hasCurve ? [sparkline(row.recent)] : [])
        }.lines()
    }

    /// The summary at the end of the monitor.
    ///
    /// - Parameters:
    ///   - time: the time since the start.
    ///   - now: the current time, on the events' clock.
    static func summary(_ rows: [TargetStatistics], after time: Duration, until now: Duration) -> [OutputLine] {
        let header = ["TARGET", "STATE", "PROBES", "LOST", "P50", "P95", "P99", "DOWN"]
        let table = Table(header: header, of: rows) { row in
            let status = row.status
            let present = status.state.isDown ? ", now" : ""
            let down = row.outages == 0 ? "never" : "\(row.outages) x, \(row.downTime(until: now).words)\(present)"
            return [
                status.target.description, status.words, "\(row.sent)", percent(row.loss), row.percentile(0.5).words,
                row.percentile(0.95).words, row.percentile(0.99).words, down,
            ]
        }
        return ["", "after \(time.words):"] + table.lines()
    }

    /// A row of small bars for round-trip times, with a cross for each lost probe.
    private static func sparkline(_ times: [Duration?]) -> String {
        let bars = Array("▁▂▃▄▅▆▇█")
        let known = times.compactMap { $0.map { $0 / .milliseconds(1) } }
        let (minimum, maximum) = (known.min() ?? 0, known.max() ?? 0)
        // Differences below 0.2 ms come from this machine and not from the path.
        let spread = max(maximum - minimum, 0.2)
        return String(
            times.map { time -> Character in
                guard let time else { return "×" }
                return bars[min(Int((time / .milliseconds(1) - minimum) / spread * Double(bars.count)), bars.count - 1)]
            }
        )
    }
}
