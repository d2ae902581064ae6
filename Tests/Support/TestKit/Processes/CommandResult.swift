// SPDX-License-Identifier: Apache-2.0

import Foundation

/// How a command ended, and what it printed.
package struct CommandResult: Sendable {
    package let end: ChildProcess.End
    /// Standard output as it was written.
    package let bytes: [UInt8]
    /// Standard error.
    package let errors: String
    /// The processor's time that the command and what it waited for took.
    package let processorTime: Duration

    /// The exit status; nil where a signal ended the command.
    package var status: Int32? {
        if case .exited(let status) = end { status } else { nil }
    }

    package var output: String { String(decoding: bytes, as: UTF8.self) }

    /// The output's lines.
    package var lines: [Substring] { output.split(separator: "\n") }

    /// Ends the test if the command did not succeed.
    package func requireSuccess() throws {
        guard status == 0 else { throw TestFailure("\(end): \(errors)\(output)") }
    }
}

extension CommandResult: CustomStringConvertible {
    package var description: String { "\(end), output: \(output), errors: \(errors)" }
}

extension CommandResult {
    /// Runs a command in the network namespace of the calling thread, and waits for its end.
    ///
    /// - Parameters:
    ///   - input: what standard input holds.
    ///   - limit: seconds after which the command is killed; its status is then 124.
    package init(
        of command: [String],
        input: String = "",
        environment: [String: String] = ProcessInfo.processInfo.environment,
        limit: Int? = nil
    ) throws {
        let limiting = limit.map { ["timeout", "--kill-after=1", "\($0)"] } ?? []
        // Files rather than pipes: no pipe can fill up and block the command.
        let files = try (0..<3).map { _ in try UnnamedFile() }
        try files[0].write(input)
        let process = try ChildProcess(
            limiting + command,
            environment: environment,
            streams: files.map(\.descriptor)
        )
        end = process.wait()
        processorTime = process.processorTime
        bytes = files[1].bytes()
        errors = String(decoding: files[2].bytes(), as: UTF8.self)
    }
}
