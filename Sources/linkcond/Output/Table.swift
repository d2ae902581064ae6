// SPDX-License-Identifier: Apache-2.0

/// Text in columns, each as wide as its widest cell.
struct Table {
    private var rows: [[String]] = []

    init(header: [String]) {
        rows.append(header)
    }

    mutating func add(_ cells: [String]) {
        rows.append(cells)
    }

    /// The rows, indented by `indent` spaces, the header in bold.
    func lines(indent: Int = 0) -> [String] {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in rows.map { $0.count > column ? $0[column].count : 0 }.max() ?? 0 }
        return rows.enumerated().map { index, row in
            let cells = row.enumerated().map { column, cell in
                // The last column needs no padding.
                column == row.count - 1 ? cell : cell + String(repeating: " ", count: widths[column] - cell.count)
            }
            let line = String(repeating: " ", count: indent) + cells.joined(separator: "  ")
            return index == 0 ? Console.bold(line) : line
        }
    }
}
