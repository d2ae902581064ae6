// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Standard output for data, standard error for everything else.
enum Console {
    /// Writes a line of data.
    static func data(_ text: String) {
        write(text + "\n", to: STDOUT_FILENO)
    }

    /// Writes a line for people.
    static func note(_ text: String) {
        tell(text + "\n")
    }

    /// Writes an error, with the program's name before each line.
    static func failure(_ text: String) {
        let lines = text.split(separator: "\n").map { "linkcond: \($0)\n" }
        tell(lines.joined())
    }

    /// The text in bold if standard output is a terminal and NO_COLOR is not set (no-color.org).
    static func bold(_ text: String) -> String {
        let isPlain = isatty(STDOUT_FILENO) == 0 || getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
        return isPlain ? text : "\u{1B}[1m\(text)\u{1B}[0m"
    }

    /// Clears the terminal.
    static func clear() {
        write("\u{1B}[H\u{1B}[2J", to: STDOUT_FILENO)
    }

    /// Moves the cursor of the terminal up by `lines` and clears from there.
    static func back(_ lines: Int) {
        write("\u{1B}[\(lines)A\u{1B}[J", to: STDOUT_FILENO)
    }

    /// Writes to standard error and ignores failures, which must not end work in progress.
    private static func tell(_ text: String) {
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    private static func write(_ text: String, to descriptor: CInt) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            // A closed pipe, as with `linkcond list | head`, is not a failure; a full disk is.
            if count < 0 { exit(errno == EPIPE ? 0 : 74) }
            rest = rest.dropFirst(count)
        }
    }
}
