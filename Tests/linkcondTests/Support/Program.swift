// SPDX-License-Identifier: Apache-2.0

import Foundation

/// How a run of the program ended.
struct Outcome: Sendable {
    let end: ChildProcess.End
    /// Standard output as it was written.
    let bytes: [UInt8]
    let errors: String

    /// The exit status; nil where a signal ended it.
    var status: Int32? {
        if case .exited(let status) = end { status } else { nil }
    }

    var output: String { String(decoding: bytes, as: UTF8.self) }

    /// The output's lines.
    var lines: [Substring] { output.split(separator: "\n") }
}

/// The program under test, run as its users run it: a process of its own, with nothing of this machine's profiles.
enum Program {
    /// The package's folder.
    static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().path

    static let path = ProcessInfo.processInfo.environment["LINKCOND"] ?? "\(package)/.build/debug/linkcond"

    /// Where nothing may reach the machine's own interfaces.
    static let namespace = geteuid() == 0 ? ["unshare", "-n"] : ["unshare", "-rn"]

    /// Runs the program where it can read but not change.
    static func run(_ arguments: String..., input: String = "", directory: String = "/") throws -> Outcome {
        try start([path] + arguments, input: input, directory: directory)
    }

    /// Runs the program in a network namespace of its own, with nothing but loopback.
    static func isolated(_ arguments: String..., input: String = "") throws -> Outcome {
        try start(namespace + [path] + arguments, input: input)
    }

    /// Runs a line of shell in a network namespace of its own; `$LINKCOND` is the program.
    static func isolatedShell(_ line: String) throws -> Outcome {
        try start(namespace + ["/bin/sh", "-c", line])
    }

    /// Copies the program, by another process: a descriptor for writing that another test's child inherits from this one
    /// would keep the copy from being executed (ETXTBSY).
    static func copy(to path: String) throws {
        try start(["cp", Program.path, path]).requireSuccess()
    }

    /// Runs a line of shell; `$LINKCOND` is the program.
    static func shell(_ line: String) throws -> Outcome {
        try start(["/bin/bash", "-c", line])
    }

    /// Runs a command for at most `limit` seconds; 124 is its status when they are over. Its death by a signal is seen
    /// as it is.
    static func start(
        _ command: [String],
        input: String = "",
        directory: String = "/",
        variables: [String: String] = [:],
        limit: Int = 20
    ) throws -> Outcome {
        let files = try TemporaryDirectory()
        // Files rather than pipes: nothing can fill up and wait.
        let streams = [
            try FileHandle(forReadingFrom: files.write("input", input)),
            try FileHandle(forWritingTo: files.write("output", "")),
            try FileHandle(forWritingTo: files.write("errors", "")),
        ]
        let process = try ChildProcess(
            ["env", "--chdir=\(directory)", "timeout", "--kill-after=1", "\(limit)"] + command,
            environment: environment.merging(variables) { $1 },
            streams: streams.map(\.fileDescriptor)
        )
        return Outcome(end: process.wait(), bytes: try files.bytes("output"), errors: try files.read("errors"))
    }

    static let environment: [String: String] = {
        var environment = ProcessInfo.processInfo.environment
        for name in ["LINKCOND_PROFILE_PATH", "XDG_CONFIG_HOME", "COLUMNS", "NO_COLOR"] { environment[name] = nil }
        environment["HOME"] = "/nonexistent"
        environment["LINKCOND"] = path
        environment["LC_ALL"] = "C"
        // The machine's own journal is no business of a test.
        environment["LINKCOND_STATE_DIR"] = "/tmp/linkcond-test-journal-\(getuid())"
        return environment
    }()
}

extension Outcome {
    /// Ends the test where the program did not succeed.
    func requireSuccess() throws {
        guard status == 0 else { throw Unexpected("\(end): \(errors)\(output)") }
    }
}
