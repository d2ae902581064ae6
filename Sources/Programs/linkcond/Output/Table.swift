// SPDX-License-Identifier: Apache-2.0

import LinkProfiles

/// Text in columns, each as wide as its widest cell.
struct Table {
    private var rows: [[Cell]] = []
    /// The positions of rows of one cell that is as wide as the table.
    private var lines: Set<Int> = []

    private struct Cell {
        let text: String
        /// The number of characters, stored since counting is slow.
        let count: Int

        init(_ text: String) { (self.text, count) = (text, text.count) }
    }

    init(header: [String]) { rows.append(header.map(Cell.init)) }

    init<Item>(header: [String], of items: [Item], row: (Item) -> [String]) {
        self.init(header: header)
        for item in items { add(row(item)) }
    }

    mutating func add(_ cells: [String]) {
        // Escaped here as well as in the output, since escaping changes the width of a column.
        rows.append(cells.map { Cell($0.escapingControls()) })
    }

    /// Adds a line that is as wide as the table, and does not widen a column.
    mutating func add(line: String) {
        lines.insert(rows.count)
        add([line])
    }

    /// Formats the rows, indented by `indent` spaces, with the header in bold.
    ///
    /// - Parameter width: the width to which cells are wrapped, except in the first column; nil for no limit.
    func lines(indent: Int = 0, width: Int? = nil) -> [OutputLine] {
        var widths = [Int](repeating: 0, count: rows.map(\.count).max() ?? 0)
        for (index, row) in rows.enumerated() where !lines.contains(index) {
            for (column, cell) in row.enumerated() { widths[column] = max(widths[column], cell.count) }
        }
        if let width { narrow(&widths, to: width - indent) }
        return rows.enumerated().flatMap { index, row in
            if lines.contains(index) { return wrappedLine(row[0], indent: indent, width) }
            return (width == nil ? [row] : Self.wrapped(row, widths)).map { cells in
                let text = Self.line(cells, widths, indent: indent)
                return index == 0 ? OutputLine(heading: text) : OutputLine(text)
            }
        }
    }

    /// Wraps a line; further lines are indented by four more spaces.
    private func wrappedLine(_ cell: Cell, indent: Int, _ width: Int?) -> [OutputLine] {
        let start = cell.text.prefix { $0 == " " }.count + indent
        let room = width.map { max($0 - start - 4, 8) } ?? .max
        let lines = WrappedText.lines(of: cell.text, width: room)
        let pad = String(repeating: " ", count: start)
        return lines.isEmpty ? [""] : lines.enumerated().map { OutputLine(pad + ($0 == 0 ? "" : "    ") + $1) }
    }

    private static func line(_ cells: [Cell], _ widths: [Int], indent: Int) -> String {
        var line = ""
        var gap = indent
        for (column, cell) in cells.enumerated() {
            // Empty cells at the end of a line, and the last cell, are not padded.
            if cell.count > 0 {
                line += String(repeating: " ", count: gap)
                line += cell.text
                gap = 0
            }
            gap += widths[column] - cell.count + 2
        }
        return line
    }

    /// Wraps the cells of a row to the widths of the columns; returns the resulting rows.
    private static func wrapped(_ row: [Cell], _ widths: [Int]) -> [[Cell]] {
        let cells = row.indices.map { column in
            row[column].count > widths[column]
                ? WrappedText.lines(of: row[column].text, width: widths[column]).map(Cell.init)
                : [row[column]]
        }
        return (0..<(cells.map(\.count).max() ?? 0)).map { index in
            cells.map { $0.indices.contains(index) ? $0[index] : Cell("") }
        }
    }

    /// Narrows the widest columns until the table fits, but not below the width of their headings.
    private func narrow(_ widths: inout [Int], to width: Int) {
        var excess = widths.reduce(2 * (widths.count - 1), +) - width
        while excess > 0 {
            let columns = widths.indices.dropFirst().filter { widths[$0] > max(rows[0][$0].count, 8) }
            guard let widest = columns.max(by: { widths[$0] < widths[$1] }) else { return }
            widths[widest] -= 1
            excess -= 1
        }
    }
}
