// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import Testing

/// Nothing is left, whichever processes are killed, at whatever moment: 8 times, 40 in a sweep, or 400 in the soak.
@Suite(.enabled(if: PrivateLink.isAvailable, PrivateLink.need))
struct InterfaceUserspaceKillTests {
    private static let trials = Extent.choose(once: 8, all: 40, soak: 400)

    @Test func leavesNothingAtAnyMoment() throws {
        try PrivateLink.check(
            "interface-userspace-kill.py",
            "leavesNothingAtAnyMoment(\(Self.trials))",
            limit: max(15 * Self.trials, HangLimit.seconds)
        )
    }
}
