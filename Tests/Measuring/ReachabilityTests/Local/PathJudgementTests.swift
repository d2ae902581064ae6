// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import LocalNetwork
@testable import Netlink
@testable import Probing
@testable import Reachability

@Suite struct PathJudgementTests {
    private func state(_ links: LinkStatus..., addresses: [InterfaceAddress] = []) -> LocalState {
        var table = LinkTable(facts: { $0.link.name == "wwan0" ? DeviceFacts(type: "wwan") : DeviceFacts() })
        table.load(LocalDump(links: links, addresses: addresses), [])
        return table.state
    }

    private func status(
        _ address: String = "198.51.100.1",
        error: Int32,
        words: String? = nil,
        interface: String? = nil,
        in state: LocalState
    ) throws -> Path.Status {
        let error = NetlinkError(operation: "find a route", code: error, kernelText: words)
        return Path(to: try #require(IPAddress(address)), .failure(error), interface: interface, in: state).status
    }

    private func status(
        _ address: String = "198.51.100.1",
        source: String? = "192.0.2.1",
        gateway: String? = nil,
        kind: Route.Kind = .unicast,
        interface: String? = nil,
        in state: LocalState
    ) throws -> Path.Status {
        let lookup = RouteLookup(
            index: 2,
            source: source.flatMap { IPAddress($0) },
            gateway: gateway.flatMap { IPAddress($0) },
            kind: kind,
            table: 254,
            mtu: nil
        )
        return Path(to: try #require(IPAddress(address)), .success(lookup), interface: interface, in: state).status
    }

    @Test func takesTheKernelsRefusalsAsTheyAre() throws {
        let nothing = state()
        #expect(try status(error: ENETUNREACH, in: nothing) == .unsatisfied(.noRoute))
        #expect(try status(error: EHOSTUNREACH, in: nothing) == .unsatisfied(.routeUnreachable))
        #expect(try status(error: EACCES, in: nothing) == .unsatisfied(.routeProhibited))
        #expect(try status(error: EINVAL, in: nothing) == .unsatisfied(.routeBlackhole))
        #expect(try status(error: EINVAL, words: "ipv6: Invalid flags", in: nothing) == .unknown(EINVAL))
        #expect(try status(error: ENOBUFS, in: nothing) == .unknown(ENOBUFS))
    }

    @Test func blamesTheNamedInterfaceBeforeTheRoute() throws {
        let off = state(KernelWords.link(2, "eth0", isUp: false, hasCarrier: false))
        #expect(try status(error: ENETUNREACH, in: off) == .unsatisfied(.noRoute))
        #expect(try status(error: ENETUNREACH, interface: "eth0", in: off) == .unsatisfied(.adminDown))
        #expect(try status(error: ENETUNREACH, interface: "eth1", in: off) == .unsatisfied(.interfaceMissing))
        let unplugged = state(KernelWords.link(2, "eth0", hasCarrier: false))
        #expect(try status(error: ENETUNREACH, interface: "eth0", in: unplugged) == .unsatisfied(.noCarrier))
        let bare = state(KernelWords.link(2, "eth0"))
        #expect(try status(error: ENETUNREACH, interface: "eth0", in: bare) == .unsatisfied(.noAddress))
        let ready = state(KernelWords.link(2, "eth0"), addresses: [KernelWords.address(2, "192.0.2.1")])
        #expect(try status(error: ENETUNREACH, interface: "eth0", in: ready) == .unsatisfied(.noRoute))
        #expect(try status("2001:db8::1", error: ENETUNREACH, interface: "eth0", in: ready) == .unsatisfied(.noAddress))
    }

    /// It would refuse all the same if the link worked.
    @Test func blamesARouteThatRefusesBeforeTheNamedInterface() throws {
        let off = state(KernelWords.link(2, "eth0", isUp: false, hasCarrier: false))
        #expect(try status(error: EACCES, interface: "eth0", in: off) == .unsatisfied(.routeProhibited))
    }

    @Test func looksAtTheRoutesLink() throws {
        #expect(try status(in: state(KernelWords.link(2, "eth0"))) == .satisfied)
        #expect(try status(in: state(KernelWords.link(2, "eth0", hasCarrier: false))) == .unsatisfied(.noCarrier))
        // A link that has just come up.
        #expect(try status(in: state(KernelWords.link(2, "eth0", state: .lowerLayerDown))) == .satisfied)
        #expect(try status(in: state(KernelWords.link(2, "eth0", isUp: false))) == .unsatisfied(.adminDown))
        #expect(try status(source: nil, in: state(KernelWords.link(2, "eth0"))) == .unsatisfied(.noAddress))
        // The notification of a new device may be on its way.
        #expect(try status(in: state()) == .satisfied)
    }

    @Test func waitsForADormantLink() throws {
        let path = try status(in: state(KernelWords.link(2, "eth0", state: .dormant)))
        #expect(path == .requiresConnection(.intervention))
        #expect(try status(in: state(KernelWords.link(2, "wwan0", state: .dormant))) == .requiresConnection(.onDemand))
        let tunnel = state(KernelWords.link(2, "ppp0", kind: "ppp", state: .dormant))
        #expect(try status(in: tunnel) == .requiresConnection(.onTraffic))
    }

    @Test func sendsLinkLocalAddressesNoFurtherThanTheLink() throws {
        let eth0 = state(KernelWords.link(2, "eth0"))
        #expect(try status(source: "169.254.1.1", gateway: "192.0.2.254", in: eth0) == .unsatisfied(.linkLocalOnly))
        #expect(
            try status("2001:db8::1", source: "fe80::1", gateway: "fe80::2", in: eth0) == .unsatisfied(.linkLocalOnly)
        )
        #expect(try status("169.254.7.7", source: "169.254.1.1", in: eth0) == .satisfied)
        #expect(try status("2001:db8::1", source: "fe80::1", in: eth0) == .satisfied)
    }

    @Test func reachesItselfWhateverTheLink() throws {
        let off = state(KernelWords.link(2, "eth0", isUp: false, hasCarrier: false))
        #expect(try status("192.0.2.1", kind: .local, in: off) == .satisfied)
    }
}
