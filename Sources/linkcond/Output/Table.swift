// SPDX-License-Identifier: Apache-2.0

import LinkProfiles

/// Text in columns, each as wide as its widest cell.
struct Table {
    private var rows: [[String]] = []

    init(header: [String]) {
        rows.append(header)
    }

    mutating func add(_ cells: [String]) {
        // Here too, since escapes widen their column.
        rows.append(cells.map { $0.escapingControls() })
    }

    /// The rows, indented by `indent` spaces, the header in bold.
    func lines(indent: Int = 0) -> [OutputLine] {
        let counts = rows.map { $0.map(\.count) }
        var widths = [Int](repeating: 0, count: rows.map(\.count).max() ?? 0)
        for row in counts {
            for (column, count) in row.enumerated() { widths[column] = max(widths[column], count) }
        }
        return rows.indices.map { index in
            // As bytes, since a string of spaces is built one character after the other.
            var line: [UInt8] = []
            var gap = indent
            for (column, cell) in rows[index].enumerated() {
                // The last column needs no padding.
                line.append(contentsOf: repeatElement(UInt8(ascii: " "), count: gap))
                line.append(contentsOf: cell.utf8)
                gap = widths[column] - counts[index][column] + 2
            }
            let text = String(decoding: line, as: UTF8.self)
            return index == 0 ? OutputLine(heading: text) : OutputLine(text)
        }
    }
}
