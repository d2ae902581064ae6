// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

/// Another program deletes one object of a rule: status tells what is left, and reset restores everything.
@Suite(.enabled(if: PrivateLink.isAvailable, PrivateLink.need))
struct DeletedPartTests {
    @Test(arguments: [
        "uplinkDevice", "downlinkDevice", "bothDevices", "uplinkFilter", "downlinkFilter", "hook", "pass_", "wayBack",
        "entry",
    ])
    func isToldAndRestored(part: String) throws {
        try PrivateLink.check("deleted-parts.py", "\(part)()")
    }

    @Test func isRestoredByTheNextCommand() throws {
        try PrivateLink.check("deleted-parts.py", "resetWithoutStatus()")
    }

    /// The plain ingress qdisc of another program takes filters of incoming packets only.
    @Test func conditionsADownlinkUnderAPlainIngressQdisc() throws {
        try PrivateLink.check("deleted-parts.py", "plainIngressQdisc()")
    }

    @Test func goesAheadOfAFilterWithALowPreference() throws {
        try PrivateLink.check("deleted-parts.py", "aheadOfLowPreferences()")
    }
}
