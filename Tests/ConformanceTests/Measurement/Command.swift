// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A line of shell that runs beside the test.
final class Command {
    private let process = Process()
    private let errors: URL

    init(_ line: String) throws {
        errors = FileManager.default.temporaryDirectory.appending(path: "errors-\(UUID().uuidString)")
        _ = FileManager.default.createFile(atPath: errors.path, contents: nil)
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "exec \(line)"]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
    }

    deinit {
        if process.isRunning { process.terminate() }
        try? FileManager.default.removeItem(at: errors)
    }

    /// Waits for the end, which is near, and gives the exit status, or the signal's number.
    func wait() -> Int32 {
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// Waits for the end, which has to be a success, and keeps no other test from going on.
    func succeed() async throws {
        while process.isRunning { try await Task.sleep(for: .milliseconds(50)) }
        let status = wait()
        guard status == 0 else {
            throw Failure(description: "status \(status): \((try? String(contentsOf: errors, encoding: .utf8)) ?? "")")
        }
    }

    /// What a test cannot go on with.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }
}
