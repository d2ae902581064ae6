// SPDX-License-Identifier: Apache-2.0

/// Runs lines of shell, as a user at a terminal would.
package enum Shell {
    /// Runs a line of shell and waits for its end.
    package static func run(_ line: String) throws -> CommandResult {
        try CommandResult(of: ["/bin/sh", "-c", line])
    }

    /// Runs a line that must succeed and gives its output.
    @discardableResult
    package static func check(_ line: String) throws -> String {
        let result = try run(line)
        guard result.status == 0 else { throw TestFailure(line: line, result: result) }
        return result.output
    }

    /// The text as one word of a line of shell.
    package static func quoted(_ text: String) -> String {
        "'\(text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#))'"
    }
}

extension TestFailure {
    /// A line of shell that should have succeeded.
    package init(line: String, result: CommandResult) {
        self.init("`\(line)` ended with \(result.end): \(result.errors)\(result.output)")
    }
}
