// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LocalNetwork
@testable import Netlink
@testable import Probing
@testable import Reachability

@Suite struct OwnDeviceTests {
    @Test func hidesNothingWithoutAPredicate() {
        var table = LinkTable(facts: { _ in DeviceFacts() })
        let lane = KernelWords.link(9, "lc2r1u", kind: "ifb", alias: "linkcond eth0 uplink rule 1")
        #expect(table.apply(.link(lane), at: .zero).map(\.change.words) == ["appeared lc2r1u"])
        #expect(table.state.links.count == 1)
        #expect(table.state.ownDevices.isEmpty)
    }

    @Test func takesADeviceBackThatTurnsOutOwn() {
        var table = LinkTable(isOwnDevice: isLaneDevice) { _ in DeviceFacts() }
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
        var table = LinkTable(isOwnDevice: isLaneDevice) { _ in DeviceFacts() }
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
