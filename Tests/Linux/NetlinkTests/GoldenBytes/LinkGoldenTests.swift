// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Netlink

@Suite struct LinkGoldenTests {
    static let recorded: Set<String> = [
        "link-add-ifb", "link-alias", "link-addresses", "link-up", "link-mtu", "link-delete",
    ]

    /// ip looks up the index first; the program sends the name, so that it cannot hit a new interface with that index.
    private static let byName = ["index": "IFLA_IFNAME serves where it is zero (net/core/rtnetlink.c)"]
    private static let zeroEnds = "a text may end in a zero or not (nla_strscpy in lib/nlattr.c)"

    @Test func addsAnIFBAsIpDoes() throws {
        try expectSame(
            LinkRequest.addIFB("lc0", queueLength: 1000),
            as: "link-add-ifb",
            exceptions: ["IFLA_LINKINFO/IFLA_INFO_KIND": Self.zeroEnds]
        )
    }

    @Test func setsAnAliasAsIpDoes() throws {
        try expectSame(
            LinkRequest.setAlias("a lane of our own", of: "lane"),
            as: "link-alias",
            additions: ["IFLA_IFNAME": Array("lane\0".utf8)],
            exceptions: Self.byName
        )
    }

    @Test func disablesAddressesAsIpDoes() throws {
        try expectSame(
            LinkRequest.disableAddressGeneration(of: "lane"),
            as: "link-addresses",
            additions: ["IFLA_IFNAME": Array("lane\0".utf8)],
            exceptions: Self.byName
        )
    }

    @Test func bringsUpAsIpDoes() throws {
        try expectSame(
            LinkRequest.bringUp("lane"),
            as: "link-up",
            additions: ["IFLA_IFNAME": Array("lane\0".utf8)],
            exceptions: Self.byName
        )
    }

    @Test func setsTheMTUAsIpDoes() throws {
        try expectSame(
            LinkRequest.setMTU(1400, of: "lane"),
            as: "link-mtu",
            additions: ["IFLA_IFNAME": Array("lane\0".utf8)],
            exceptions: Self.byName
        )
    }

    @Test func deletesAsIpDoes() throws {
        try expectSame(
            LinkRequest.delete("lc0"),
            as: "link-delete",
            additions: ["IFLA_IFNAME": Array("lc0\0".utf8)],
            exceptions: Self.byName
        )
    }
}
