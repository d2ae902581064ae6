// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

/// Who runs linkcond.
enum Caller: String, CaseIterable, CustomTestStringConvertible {
    case root
    /// An unprivileged user: nobody, without groups.
    case user

    var testDescription: String { rawValue }

    /// The prefix of a shell command that is run as this caller. One that hangs must not hold up the other tests.
    private var prefix: String {
        let limit = "timeout --kill-after=2 \(HangLimit.seconds)"
        return switch self {
        case .root: limit
        case .user: "\(limit) setpriv --reuid=65534 --regid=65534 --clear-groups"
        }
    }

    /// The shell command for `linkcond run`.
    func line(_ arguments: String) -> String {
        "\(prefix) \(Shell.linkcond) run \(arguments)"
    }

    /// Runs a command in a sandbox.
    func run(_ arguments: String) throws -> CommandResult {
        try Shell.run(line(arguments))
    }

    /// Runs `linkcond doctor`.
    func doctor() throws -> CommandResult { try Shell.run("\(prefix) \(Shell.linkcond) doctor") }

    /// Runs a command that must succeed in a sandbox, and gives its output.
    func check(_ arguments: String) throws -> String {
        try Shell.check(line(arguments))
    }
}
