// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reachability

/// A table that is drawn anew in its place.
struct LiveTable {
    private var height = 0

    /// Draws it where it was drawn last, cut to what the terminal shows.
    mutating func draw(_ rows: [TargetStatistics]) {
        var size = winsize()
        let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_row > 2
        let room = isKnown ? Int(size.ws_row) - 2 : 22
        var lines = Self.lines(Array(rows.prefix(room - 1)), hasCurve: true)
        if rows.count > room - 1 { lines.append("and \(rows.count - room + 1) more") }
        erase()
        lines.forEach(Console.data)
        height = lines.count
    }

    /// Takes it away, so that lines can be printed in its place.
    mutating func erase() {
        if height > 0 { Console.back(height) }
        height = 0
    }

    /// The table's lines.
    static func lines(_ rows: [TargetStatistics], hasCurve: Bool) -> [String] {
        var table = Table(header: ["TARGET", "STATE", "RTT", "P50", "P95", "LOST"] + (hasCurve ? ["LAST"] : []))
        for row in rows {
            table.add(
                [
                    row.status.target.description, row.status.words, words(row.recent.last ?? nil),
                    words(row.percentile(0.5)), words(row.percentile(0.95)), percent(row.loss),
                ] + (hasCurve ? [sparkline(row.recent)] : [])
            )
        }
        return table.lines()
    }
}

/// What is printed at the end.
enum Summary {
    static func lines(_ rows: [TargetStatistics], after time: Duration) -> [String] {
        var table = Table(header: ["TARGET", "STATE", "PROBES", "LOST", "P50", "P95", "P99", "DOWN"])
        for row in rows {
            let status = row.status
            let now = status.state.isDown ? ", now" : ""
            let down = row.outages == 0 ? "never" : "\(row.outages) x, \(words(row.downTime))\(now)"
            table.add([
                status.target.description, status.words, "\(row.sent)", percent(row.loss), words(row.percentile(0.5)),
                words(row.percentile(0.95)), words(row.percentile(0.99)), down,
            ])
        }
        return ["", "after \(words(time)):"] + table.lines()
    }
}
