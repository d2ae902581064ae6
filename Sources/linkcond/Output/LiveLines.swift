// SPDX-License-Identifier: Apache-2.0

/// Lines that are drawn anew in their place on a terminal.
struct LiveLines {
    private let descriptor: CInt
    private var height = 0

    init(on descriptor: CInt) { self.descriptor = descriptor }

    /// How many lines the terminal shows at most.
    var room: Int { size.rows }

    private var size: (rows: Int, columns: Int) {
        let size = TerminalSize(of: descriptor)
        return (size.rows - 2, size.columns - 1)
    }

    /// What draws the lines where they were drawn last, cut to what the terminal shows.
    ///
    /// - Parameter more: how many lines there are besides these.
    mutating func draw(_ lines: [OutputLine], more: Int = 0) -> [UInt8] {
        let (rows, columns) = size
        var shown = Array(lines.prefix(lines.count + min(more, 1) > rows ? rows - 1 : rows))
        let hidden = lines.count + more - shown.count
        if hidden > 0 { shown.append("and \(hidden) more") }
        defer { height = shown.count }
        return erase() + shown.map { $0.prefix(columns) }.flatMap(Console.bytes)
    }

    /// What takes them away.
    mutating func erase() -> [UInt8] {
        defer { height = 0 }
        return height > 0 ? Console.back(height) : []
    }
}

extension OutputLine {
    /// The beginning of the line.
    fileprivate func prefix(_ count: Int) -> OutputLine {
        OutputLine(heading: String(heading.prefix(count)), String(rest.prefix(max(0, count - heading.count))))
    }
}
