// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Lines that are redrawn at the same position of a terminal.
struct LiveLines {
    private let descriptor: CInt
    private var height = 0

    init(on descriptor: CInt) { self.descriptor = descriptor }

    /// The maximum number of lines that the terminal can show.
    var room: Int { size.rows }

    private var size: (rows: Int, columns: Int) {
        let size = TerminalSize(of: descriptor)
        return (size.rows - 2, size.columns - 1)
    }

    /// Returns the output that replaces the previous lines by `lines`, cut to the terminal's size.
    ///
    /// - Parameter more: the number of further lines, which are only counted.
    mutating func draw(_ lines: [OutputLine], more: Int = 0) -> [UInt8] {
        let (rows, columns) = size
        var shown = Array(lines.prefix(lines.count + min(more, 1) > rows ? rows - 1 : rows))
        let hidden = lines.count + more - shown.count
        if hidden > 0 { shown.append("and \(hidden) more") }
        defer { height = shown.count }
        return erase() + shown.map { $0.prefix(columns) }.flatMap(Console.bytes)
    }

    mutating func erase() -> [UInt8] {
        defer { height = 0 }
        return height > 0 ? Console.back(height) : []
    }
}

extension OutputLine {
    fileprivate func prefix(_ count: Int) -> OutputLine {
        OutputLine(heading: String(heading.prefix(count)), String(rest.prefix(max(0, count - heading.count))))
    }
}

/// The size of a terminal.
struct TerminalSize {
    var rows = 24
    var columns = 80

    /// The columns of standard output: those of its terminal, or 80 in a pipe or a file.
    static var outputColumns: Int { isatty(STDOUT_FILENO) == 1 ? TerminalSize(of: STDOUT_FILENO).columns : 80 }

    /// The size of the terminal of `descriptor`; parts that are unknown, as on a serial line, stay at 24 rows and
    /// $COLUMNS or 80 columns.
    init(of descriptor: CInt) {
        var size = winsize()
        if ioctl(descriptor, UInt(TIOCGWINSZ), &size) != 0 { size = winsize() }
        if size.ws_row > 4 { rows = Int(size.ws_row) }
        if size.ws_col > 10 {
            columns = Int(size.ws_col)
        } else if let text = getenv("COLUMNS"), let count = Int(String(cString: text)), count > 10 {
            columns = count
        }
    }
}
