// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

/// Two networks joined by a veth pair, in a private world: "near", whose interface near0 is conditioned, and "far".
enum PrivateLink {
    static let isAvailable = Kernel.isRoot && Kernel.canPump && PrivateWorld.isAvailable
    static let need: Comment = "needs root, /dev/net/tun and a process namespace"

    /// Runs the script and then the call in Python there; private-link.py has what they can use.
    @discardableResult
    static func check(
        _ script: String,
        _ call: String,
        program: String? = nil,
        limit: Int = HangLimit.seconds
    ) throws -> CommandResult {
        try PrivateWorld.check(.tester, ["private-link.py", script], call, program: program, limit: limit)
    }
}
