// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit

/// The program under test, run as its users run it: a process of its own, with nothing of this machine's profiles.
enum Program {
    static let path = Package.linkcond

    /// Where nothing may reach the machine's own interfaces.
    static let namespace = Kernel.ownNetwork

    /// Runs the program where it can read but not change.
    static func run(_ arguments: String..., input: String = "", directory: String = "/") throws -> CommandResult {
        try start([path] + arguments, input: input, directory: directory)
    }

    /// Runs the program in a network namespace of its own, with nothing but loopback.
    static func isolated(_ arguments: String..., input: String = "") throws -> CommandResult {
        try start(namespace + [path] + arguments, input: input)
    }

    /// Runs a line of shell in a network namespace of its own; `$LINKCOND` is the program.
    static func isolatedShell(_ line: String) throws -> CommandResult {
        try start(namespace + ["/bin/sh", "-c", line])
    }

    /// Copies the program, by another process: a descriptor for writing that another test's child inherits from this one
    /// would keep the copy from being executed (ETXTBSY).
    static func copy(to path: String) throws {
        try start(["cp", Program.path, path]).requireSuccess()
    }

    /// Runs a line of shell; `$LINKCOND` is the program.
    static func shell(_ line: String) throws -> CommandResult {
        try start(["/bin/bash", "-c", line])
    }

    /// Runs a command for at most `limit` seconds; 124 is its status when they are over. Its death by a signal is seen
    /// as it is.
    static func start(
        _ command: [String],
        input: String = "",
        directory: String = "/",
        variables: [String: String] = [:],
        limit: Int = HangLimit.seconds
    ) throws -> CommandResult {
        try CommandResult(
            of: ["env", "--chdir=\(directory)"] + command,
            input: input,
            environment: environment.merging(variables) { $1 },
            limit: limit
        )
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
