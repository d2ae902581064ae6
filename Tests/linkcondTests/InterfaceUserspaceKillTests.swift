// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import Testing

/// Nothing is left, whichever processes are killed, at whatever moment: 40 times, or 400 where LINKCOND_SOAK is 1.
@Suite(.enabled(if: PrivateLink.isAvailable, PrivateLink.need))
struct InterfaceUserspaceKillTests {
    private static let trials = getenv("LINKCOND_SOAK").map { String(cString: $0) } == "1" ? 400 : 40

    @Test func leavesNothingAtAnyMoment() throws {
        try PrivateLink.check(
            "interface-userspace-kill.py",
            "leavesNothingAtAnyMoment(\(Self.trials))",
            limit: max(15 * Self.trials, HangLimit.seconds)
        )
    }
}
