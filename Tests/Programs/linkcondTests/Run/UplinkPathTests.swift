// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit
import Testing

/// Several uplinks of one sandbox.
@Suite struct UplinkPathTests {
    private static let canLink = PrivateLink.isAvailable && Kernel.hasUplink
    private static let need: Comment = "needs root, /dev/net/tun and a process namespace"
    private static let canJoin = canLink && access("/proc/sys/net/mptcp/enabled", F_OK) == 0
    private static let needsMultipath: Comment = "needs root, /dev/net/tun, a process namespace and Multipath TCP"

    private static let callers = ["root", "user"]

    private func check(_ call: String) throws {
        try PrivateWorld.check(.tester, ["private-link.py", "uplink.py", "uplink-paths.py"], call)
    }

    @Test(.enabled(if: canJoin, needsMultipath), arguments: callers, [4, 6])
    func multipathTCPUsesEach(caller: String, version: Int) throws {
        try check("carriesOnEach('\(caller)', \(version))")
    }

    @Test(.enabled(if: canLink, need), arguments: callers, [4, 6])
    func eachHasItsConditions(caller: String, version: Int) throws {
        try check("eachHasItsConditions('\(caller)', \(version))")
    }

    @Test(.enabled(if: canJoin, needsMultipath), arguments: callers, [4, 6])
    func aConnectionOutlivesALinkThatGoesDown(caller: String, version: Int) throws {
        try check("outlivesALink('\(caller)', \(version))")
    }

    /// A hand-over on one leaves that on another alone.
    @Test(.enabled(if: canLink, need), arguments: callers, [4, 6])
    func eachHasItsHandOver(caller: String, version: Int) throws {
        try check("overlapsApart('\(caller)', \(version))")
    }

    @Test(.enabled(if: canLink, need), arguments: callers, [4, 6])
    func areMonitored(caller: String, version: Int) throws {
        try check("areMonitored('\(caller)', \(version))")
    }

    @Test(.enabled(if: canLink, need)) func areNamed() throws { try check("saysWhatIsWhere()") }
}
