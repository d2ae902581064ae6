// SPDX-License-Identifier: Apache-2.0

import LinkProfiles

/// A chart of vertical bars, drawn with block characters over an axis.
struct BarChart {
    let title: String
    /// The value of each column, at least 0; infinity means no limit.
    let values: [Double]
    /// The label at the top of the vertical axis, for the greatest value.
    let maximum: String
    /// The label at the bottom of the vertical axis.
    let minimum: String
    /// The labels below the first and the last column.
    let ends: (first: String, last: String)

    /// The number of columns that fit into `width` beside the labels. The last character of a line stays empty, since
    /// some terminals would wrap after it.
    static func columns(width: Int, labels: [String]) -> Int {
        let label = labels.map(\.count).max() ?? 0
        return width - indent.count - (label > 0 ? label + 1 : 0) - 2
    }

    private static let indent = "    "
    private static let height = 5
    private static let eighths = Array(" ▁▂▃▄▅▆▇█")

    /// The chart as lines, without trailing spaces.
    var lines: [OutputLine] {
        let label = max(maximum.count, minimum.count)
        func padded(_ text: String) -> String {
            String(repeating: " ", count: label - text.count) + text + (label > 0 ? " " : "")
        }
        var lines = ["", "  \(title)"]
        for row in (0..<Self.height).reversed() {
            let text = row == Self.height - 1 ? maximum : ""
            lines.append("\(Self.indent)\(padded(text))│\(bars(inRow: row))")
        }
        lines.append("\(Self.indent)\(padded(minimum))└" + String(repeating: "─", count: values.count))
        let gap = max(values.count - ends.first.count - ends.last.count, 1)
        lines.append(
            Self.indent + padded("") + " " + ends.first + String(repeating: " ", count: gap) + ends.last
        )
        return lines.map { line in
            OutputLine(String(line.reversed().drop { $0 == " " }.reversed()))
        }
    }

    private func bars(inRow row: Int) -> String {
        let top = values.filter(\.isFinite).max() ?? 0
        return String(
            values.map { value -> Character in
                guard value.isFinite else { return "░" }
                guard value > 0, top > 0 else { return " " }
                // At least one eighth, so that every value above zero is visible.
                let eighths = max((value / top * Double(8 * Self.height)).rounded(), 1)
                return Self.eighths[Int(min(max(eighths - Double(8 * row), 0), 8))]
            }
        )
    }
}
