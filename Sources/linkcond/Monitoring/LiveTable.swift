// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinkProfiles
import Reachability

/// A table that is drawn anew in its place.
struct LiveTable {
    private var lines = LiveLines(on: STDOUT_FILENO)

    /// What draws it where it was drawn last.
    mutating func draw(_ rows: [TargetStatistics]) -> [UInt8] {
        // A line for each would take too long if there are thousands.
        let shown = rows.prefix(lines.room)
        return lines.draw(Self.lines(Array(shown), hasCurve: true), more: rows.count - shown.count)
    }

    /// What takes it away, so that lines can be printed in its place.
    mutating func erase() -> [UInt8] { lines.erase() }

    /// The table's lines.
    static func lines(_ rows: [TargetStatistics], hasCurve: Bool) -> [OutputLine] {
        var table = Table(header: ["TARGET", "STATE", "RTT", "P50", "P95", "LOST"] + (hasCurve ? ["LAST"] : []))
        for row in rows {
            table.add(
                [
                    row.status.target.description, row.status.words, (row.recent.last ?? nil).words,
                    row.percentile(0.5).words, row.percentile(0.95).words, percent(row.loss),
                ] + (hasCurve ? [sparkline(row.recent)] : [])
            )
        }
        return table.lines()
    }
}

/// What is printed at the end.
enum Summary {
    static func lines(_ rows: [TargetStatistics], after time: Duration) -> [OutputLine] {
        var table = Table(header: ["TARGET", "STATE", "PROBES", "LOST", "P50", "P95", "P99", "DOWN"])
        for row in rows {
            let status = row.status
            let now = status.state.isDown ? ", now" : ""
            let down = row.outages == 0 ? "never" : "\(row.outages) x, \(row.downTime.words)\(now)"
            table.add([
                status.target.description, status.words, "\(row.sent)", percent(row.loss), row.percentile(0.5).words,
                row.percentile(0.95).words, row.percentile(0.99).words, down,
            ])
        }
        return ["", "after \(time.words):"] + table.lines()
    }
}
