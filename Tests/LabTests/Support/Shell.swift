// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What a command gave.
struct CommandResult: Sendable {
    let status: Int32
    let output: String
    let errors: String
}

/// Runs commands as a person at a terminal would.
enum Shell {
    /// The package's folder.
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path

    /// The program under test.
    static let linkcond = ProcessInfo.processInfo.environment["LINKCOND"] ?? "\(root)/.build/debug/linkcond"

    /// Runs a line of shell and waits for its end.
    static func run(_ line: String) throws -> CommandResult {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", line]
        let output = Pipe()
        let errors = FileManager.default.temporaryDirectory.appending(path: "errors-\(UUID().uuidString)")
        _ = FileManager.default.createFile(atPath: errors.path, contents: nil)
        defer { try? FileManager.default.removeItem(at: errors) }
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: errors)
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return CommandResult(
            status: process.terminationStatus,
            output: String(decoding: data, as: UTF8.self),
            errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self)
        )
    }

    /// Runs a line that must succeed and gives its output.
    @discardableResult
    static func check(_ line: String) throws -> String {
        let result = try run(line)
        guard result.status == 0 else { throw CommandFailure(line: line, result: result) }
        return result.output
    }

    /// The text as one word of a line of shell.
    static func quoted(_ text: String) -> String {
        "'\(text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#))'"
    }

    /// Whether there is a program of this name.
    static func knows(_ program: String) -> Bool {
        (try? run("command -v \(program)").status) == 0
    }

    /// Runs the program under test.
    static func linkcond(_ arguments: String) throws -> CommandResult {
        try run("\(linkcond) \(arguments)")
    }
}

/// A command that should have succeeded.
struct CommandFailure: Error, CustomStringConvertible {
    let line: String
    let result: CommandResult

    var description: String { "`\(line)` ended with \(result.status): \(result.errors)\(result.output)" }
}
