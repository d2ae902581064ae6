// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LinkConditioning

/// Which devices the monitor does not report as links of this host.
@Suite struct LaneDeviceTests {
    private static let alias = "linkcond eth0 uplink rule 1 at=1795938273 uid=0 pid=4711 profile=Slow Net"

    @Test(arguments: ["lc2r1u", "lc2r1d", "lc214748r12n", "lc2r1u9"]) func knowsALaneByItsName(name: String) {
        #expect(LaneDevices.contains(kind: "ifb", name: name, alias: nil))
        #expect(!LaneDevices.contains(kind: "bridge", name: name, alias: nil))
        #expect(!LaneDevices.contains(kind: nil, name: name, alias: nil))
    }

    /// A veth pair carries the lane of a sandbox without /dev/net/tun.
    @Test func knowsTheFarEndOfALane() {
        #expect(LaneDevices.contains(kind: "veth", name: "lc1r1u-far", alias: nil))
        #expect(!LaneDevices.contains(kind: "veth", name: "eth0-far", alias: nil))
    }

    @Test(arguments: ["lc", "lcr1u", "lc2ru", "lc2r1", "lc2r1x", "lc2r1u1x", "ifb0", "xlc2r1u", "lc2r1uu", "lc٢r1u"])
    func leavesOtherNamesAlone(name: String) {
        #expect(!LaneDevices.contains(kind: "ifb", name: name, alias: nil))
    }

    @Test(arguments: ["ifb", "tun", "veth"]) func knowsADeviceByItsAlias(kind: String) {
        #expect(LaneDevices.contains(kind: kind, name: "any", alias: Self.alias))
        #expect(!LaneDevices.contains(kind: kind, name: "any", alias: "linkconditioner"))
        #expect(!LaneDevices.contains(kind: "bridge", name: "any", alias: Self.alias))
    }
}
