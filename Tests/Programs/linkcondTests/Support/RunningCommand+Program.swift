// SPDX-License-Identifier: Apache-2.0

import TestKit

extension RunningCommand {
    /// Runs a command with the environment of the program's tests.
    convenience init(program command: [String]) throws {
        try self.init(command, environment: Program.environment)
    }
}
