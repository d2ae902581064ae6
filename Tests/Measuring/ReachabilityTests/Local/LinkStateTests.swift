// SPDX-License-Identifier: Apache-2.0

import Netlink
import Testing

@testable import LocalNetwork
@testable import Probing

@Suite struct LinkStateTests {
    private func state(
        _ links: [LinkStatus],
        _ addresses: [InterfaceAddress] = [],
        facts: DeviceFacts = DeviceFacts()
    ) -> LocalState {
        var table = LinkTable(facts: { _ in facts })
        table.load(LocalDump(links: links, addresses: addresses), [])
        return table.state
    }

    private func operationalState(_ link: LinkStatus, _ addresses: InterfaceAddress...) -> OperationalState {
        state([link], addresses).operationalState(of: link.link.name)
    }

    @Test func climbsTheLadder() {
        let eth0 = KernelWords.link(2, "eth0")
        let linkLocal = KernelWords.address(2, "fe80::1", prefixLength: 64, scope: .link)
        let ladder = [
            operationalState(KernelWords.link(3, "eth1", isUp: false, hasCarrier: false)),
            operationalState(KernelWords.link(2, "eth0", hasCarrier: false), KernelWords.address(2, "192.0.2.1")),
            operationalState(KernelWords.link(2, "eth0", state: .dormant), KernelWords.address(2, "192.0.2.1")),
            operationalState(eth0), operationalState(eth0, linkLocal),
            operationalState(eth0, linkLocal, KernelWords.address(2, "192.0.2.1")),
        ]
        #expect(ladder == [.off, .noCarrier, .dormant, .carrier, .degraded, .routable])
        #expect(ladder == ladder.sorted())
        #expect(state([]).operationalState(of: "eth0") == .missing)
    }

    @Test func doesNotCountAddressesThatAreNotUsable() {
        let eth0 = KernelWords.link(2, "eth0")
        for flags: InterfaceAddress.Flags in [.tentative, .duplicate, [.duplicate, .optimistic]] {
            #expect(operationalState(eth0, KernelWords.address(2, "2001:db8::1", flags: flags)) == .carrier)
        }
        for flags: InterfaceAddress.Flags in [.deprecated, [.tentative, .optimistic]] {
            #expect(operationalState(eth0, KernelWords.address(2, "2001:db8::1", flags: flags)) == .routable)
        }
        #expect(operationalState(eth0, KernelWords.address(2, "127.0.0.2", scope: .host)) == .carrier)
    }

    @Test func looksAtTheMembersOfABridge() {
        let bridge = KernelWords.link(5, "br0", kind: "bridge")
        let working = KernelWords.link(2, "eth0", master: 5)
        let broken = KernelWords.link(3, "eth1", hasCarrier: false, master: 5)
        #expect(state([bridge, working]).operationalState(of: "br0") == .carrier)
        #expect(state([bridge, working]).operationalState(of: "eth0") == .enslaved)
        #expect(state([bridge, working, broken]).operationalState(of: "br0") == .degradedCarrier)
        #expect(state([bridge, working, broken]).operationalState(of: "eth1") == .noCarrier)
    }

    @Test(arguments: [
        ("wireguard", LinkClass.tunnel), ("tun", .tunnel), ("ipip", .tunnel), ("gre", .tunnel), ("vti", .tunnel),
        ("xfrm", .tunnel), ("bridge", .bridge), ("bond", .bridge), ("veth", .virtual), ("vlan", .virtual),
        ("wwan", .wwan), ("rmnet", .wwan), ("kindOfTomorrow", .virtual),
    ])
    func classifiesByKind(kind: String, expected: LinkClass) {
        #expect(LinkClass(KernelWords.link(2, "any", kind: kind), DeviceFacts()) == expected)
    }

    @Test func classifiesCardsByWhatSysfsTells() {
        let card = KernelWords.link(2, "card")
        #expect(LinkClass(card, DeviceFacts()) == .ethernet)
        #expect(LinkClass(card, DeviceFacts(isWireless: true, type: "wlan")) == .wifi)
        #expect(LinkClass(card, DeviceFacts(type: "wwan")) == .wwan)
        #expect(LinkClass(KernelWords.link(1, "lo", hardware: 772), DeviceFacts()) == .loopback)
        #expect(LinkClass(KernelWords.link(2, "raw", hardware: 0xFFFE), DeviceFacts()) == .tunnel)
        #expect(LinkClass(KernelWords.link(2, "ib0", hardware: 32), DeviceFacts()) == .other)
    }

    /// Every namespace has a first device called lo, and this one's sysfs has its address.
    @Test func readsSysfsOnlyOfTheDeviceItself() {
        #expect(DeviceFacts.read(KernelWords.link(99, "lo", hardware: 772)) == DeviceFacts())
        #expect(DeviceFacts.read(KernelWords.link(1, "../../../etc", hardware: 772)) == DeviceFacts())
    }
}
