// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinkProfiles
import LinuxSystem

/// Writes data to standard output, and messages to standard error.
///
/// All text is written through this type. Names of interfaces, files and profiles, and responses of servers, may
/// contain any characters, so characters that control a terminal are escaped, except those that this type adds.
enum Console {
    static func data(_ line: OutputLine) { write(bytes(of: line)) }

    static func data(_ lines: [OutputLine]) { write(lines.flatMap(bytes)) }

    /// Writes lines of data, or with `asJSON` the same data as JSON.
    static func data(
        _ lines: @autoclosure () throws -> [OutputLine],
        or json: @autoclosure () -> JSON,
        asJSON: Bool
    ) rethrows {
        if asJSON { data(json()) } else { data(try lines()) }
    }

    static func data(_ json: JSON) { text(json.text) }

    /// Writes lines of data.
    static func text(_ text: String) { piece(text + "\n") }

    /// Writes a part of a longer text.
    static func piece(_ text: String) { write(Array(text.escapingControls(keepingLines: true).utf8)) }

    /// Writes a one-line message.
    static func note(_ line: String) { tell(MessageText.readable(line).escapingControls() + "\n") }

    /// Writes a message that may have several lines.
    static func notes(_ text: String) { tell(MessageText.readable(text) + "\n") }

    /// Writes an error, with the program's name before each line.
    static func failure(_ text: String) {
        let lines = MessageText.readable(text).split(separator: "\n").map { "linkcond: \($0)\n" }
        tell(lines.joined())
    }

    /// The bytes of a line, with a newline. The heading is bold if standard output is a terminal and NO_COLOR is not
    /// set (no-color.org).
    static func bytes(of line: OutputLine) -> [UInt8] {
        var text = line.heading.escapingControls()
        if !text.isEmpty, hasColor { text = "\u{1B}[1m\(text)\u{1B}[0m" }
        return Array((text + line.rest.escapingControls() + "\n").utf8)
    }

    private static let hasColor = isatty(STDOUT_FILENO) == 1 && getenv("NO_COLOR").map { $0.pointee == 0 } ?? true

    static func clear() { write(Array("\u{1B}[H\u{1B}[2J".utf8)) }

    /// The control sequence that moves the terminal's cursor up by `lines`, and clears the screen from there.
    static func back(_ lines: Int) -> [UInt8] { Array("\u{1B}[\(lines)A\u{1B}[J".utf8) }

    /// Writes to standard error. Ignores failures, which must not end work in progress.
    private static func tell(_ text: String) {
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    private static func write(_ bytes: [UInt8]) {
        if let code = Descriptors.write(bytes[...], to: STDOUT_FILENO) { exit(status(ofFailedWrite: code)) }
    }

    /// The exit status after a failed write: 0 for a closed pipe, as with `linkcond list | head`; an error otherwise,
    /// as for a full disk.
    static func status(ofFailedWrite code: CInt) -> CInt {
        code == EPIPE ? 0 : Failure.Status.inputOutput.rawValue
    }
}

/// A line of output, with an optional heading in bold.
struct OutputLine: Hashable, ExpressibleByStringInterpolation {
    /// The beginning of the line, which a terminal shows in bold.
    let heading: String
    let rest: String

    init(heading: String, _ rest: String = "") { (self.heading, self.rest) = (heading, rest) }

    init(_ text: String) { self.init(heading: "", text) }

    init(stringLiteral text: String) { self.init(text) }

    /// The line without formatting.
    var text: String { heading + rest }
}
