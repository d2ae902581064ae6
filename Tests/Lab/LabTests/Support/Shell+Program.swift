// SPDX-License-Identifier: Apache-2.0

import TestKit

extension Shell {
    /// The program under test.
    static let linkcond = Package.linkcond

    /// Whether a program of this name is installed.
    static func hasProgram(_ program: String) -> Bool {
        (try? run("command -v \(program)").status) == 0
    }

    /// Runs the program under test.
    static func linkcond(_ arguments: String) throws -> CommandResult {
        try run("\(linkcond) \(arguments)")
    }
}

extension RunningCommand {
    /// The next line of its output; nil after the last.
    func nextLine() -> String? {
        try? line()
    }
}
