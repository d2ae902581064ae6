// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LocalNetwork
@testable import Netlink
@testable import Probing
@testable import Reachability

@Suite struct OwnDeviceTests {
    @Test(arguments: ["lc2r1u", "lc2r1d", "lc214748r12n", "lc2r1u9"]) func knowsALaneByItsName(name: String) {
        #expect(KernelWords.link(9, name, kind: "ifb").link.isOwn)
        #expect(!KernelWords.link(9, name, kind: "veth").link.isOwn)
        #expect(!KernelWords.link(9, name).link.isOwn)
    }

    @Test(arguments: ["lc", "lcr1u", "lc2ru", "lc2r1", "lc2r1x", "lc2r1u1x", "ifb0", "xlc2r1u", "lc2r1uu", "lc٢r1u"])
    func leavesOtherNamesAlone(name: String) {
        #expect(!KernelWords.link(9, name, kind: "ifb").link.isOwn)
    }

    @Test func knowsADeviceByItsAlias() {
        for kind in ["ifb", "tun"] {
            #expect(KernelWords.link(9, "any", kind: kind, alias: "linkcond eth0 uplink rule 1").link.isOwn)
            #expect(!KernelWords.link(9, "any", kind: kind, alias: "linkconditioner").link.isOwn)
        }
        #expect(!KernelWords.link(9, "any", kind: "veth", alias: "linkcond eth0 uplink rule 1").link.isOwn)
    }

    @Test func takesADeviceBackThatTurnsOutOwn() {
        var table = LinkTable { _ in DeviceFacts() }
        let route = KernelWords.route("198.51.100.0", over: 9)
        let tap = KernelWords.link(9, "tap0", kind: "tun")
        let own = KernelWords.link(9, "tap0", kind: "tun", alias: "linkcond sandbox")
        for notification in [.link(tap), .address(KernelWords.address(9, "192.0.2.1")), .route(route)]
            as [RouteMonitor.Notification]
        {
            _ = table.apply(notification, at: .zero)
        }
        let gone = table.apply(.link(own), at: .zero).map(\.change.words)
        #expect(gone == ["no route 198.51.100.0/24", "no address 192.0.2.1/24", "vanished tap0"])
        #expect(table.state.links.isEmpty)
        #expect(table.state.routes.isEmpty)
        let back = table.apply(.link(tap), at: .zero).map(\.change.words)
        #expect(back == ["appeared tap0", "address 192.0.2.1/24", "route 198.51.100.0/24"])
    }

    /// Within a sandbox every path leads over one.
    @Test func doesNotHideThePathOverAnOwnDevice() throws {
        var table = LinkTable { _ in DeviceFacts() }
        _ = table.apply(.link(KernelWords.link(9, "tap0", kind: "tun", alias: "linkcond sandbox")), at: .zero)
        let lookup = RouteLookup(
            index: 9,
            source: IPAddress("192.0.2.1"),
            gateway: nil,
            kind: .unicast,
            table: 254,
            mtu: nil
        )
        let path = Path(to: try #require(IPAddress("198.51.100.1")), .success(lookup), in: table.state)
        #expect(path.status == .satisfied)
        #expect(path.interface == "tap0")
    }
}
