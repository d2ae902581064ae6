// SPDX-License-Identifier: Apache-2.0

import Glibc
import Netlink
import TestKit
import Testing

@testable import LocalNetwork
@testable import Probing
@testable import Reachability

/// The kernel's answers to lookups, judged: every case that needs no packet.
@Suite(.enabled(if: PrivateNetwork.isAvailable, PrivateNetwork.need)) struct PathLookupTests {
    private let network: PrivateNetwork

    init() throws {
        network = try PrivateNetwork()
        try network.ip(
            """
            link set lo up
            link add near type veth peer name far
            link set near up
            link set far up
            address add 192.0.2.1/24 dev near
            -6 address add 2001:db8::1/64 dev near nodad
            """
        )
    }

    private func path(_ address: String, interface: String? = nil) async throws -> Path {
        let watcher = try network.watcher()
        // The carrier of a veth comes through the kernel's work queue.
        let isReady = await EventLog(watcher).isSettled(watcher)
        try #require(isReady)
        return watcher.path(to: try #require(IPAddress(address)), interface: interface)
    }

    @Test func findsNoRoute() async throws {
        #expect(try await path("198.51.100.1").status == .unsatisfied(.noRoute))
        #expect(try await path("2001:db8:1::1").status == .unsatisfied(.noRoute))
    }

    @Test func takesAThrowRouteForNone() async throws {
        try network.ip("route add throw 198.51.100.0/24\n-6 route add throw 2001:db8:1::/64")
        #expect(try await path("198.51.100.1").status == .unsatisfied(.noRoute))
        #expect(try await path("2001:db8:1::1").status == .unsatisfied(.noRoute))
    }

    @Test(arguments: [
        ("unreachable", Reason.routeUnreachable), ("prohibit", .routeProhibited), ("blackhole", .routeBlackhole),
    ])
    func tellsRoutesThatRefuseApart(kind: String, reason: Reason) async throws {
        try network.ip("route add \(kind) 198.51.100.0/24\n-6 route add \(kind) 2001:db8:1::/64")
        #expect(try await path("198.51.100.1").status == .unsatisfied(reason))
        #expect(try await path("2001:db8:1::1").status == .unsatisfied(reason))
    }

    @Test func describesAPathOnTheLink() async throws {
        let path = try await path("192.0.2.7")
        #expect(path.status == .satisfied)
        #expect(path.interface == "near")
        #expect(path.source == IPAddress("192.0.2.1"))
        #expect(path.gateway == nil)
        #expect(path.isOnLink)
        #expect(!path.isOwnAddress)
        #expect(path.mtu == 1500)
        #expect(path.linkClass == .virtual)
        #expect(path.operationalState == .routable)
        #expect(path.families == [.ipv4, .ipv6])
        #expect(try await self.path("2001:db8::7").source == IPAddress("2001:db8::1"))
    }

    @Test func describesAPathOverARouter() async throws {
        try network.ip("route add default via 192.0.2.254 mtu 1400\n-6 route add default via fe80::9 dev near")
        let path = try await path("198.51.100.1")
        #expect(path.status == .satisfied)
        #expect(path.gateway == IPAddress("192.0.2.254"))
        #expect(!path.isOnLink)
        #expect(path.mtu == 1400)
        #expect(try await self.path("2001:db8:1::1").gateway == IPAddress("fe80::9"))
    }

    @Test func findsAnIPv6RouterForIPv4() async throws {
        try network.ip("-4 route add default via inet6 fe80::9 dev near")
        #expect(try await path("198.51.100.1").gateway == IPAddress("fe80::9"))
    }

    @Test func knowsItsOwnAddresses() async throws {
        for address in ["127.0.0.1", "::1", "192.0.2.1", "2001:db8::1"] {
            var path = try await path(address)
            // The kernel makes the route of an IPv6 address a moment later (addrconf_dad_work).
            _ = try await HangLimit.awaits {
                path = try await self.path(address)
                return path.isOwnAddress
            }
            #expect(path.status == .satisfied)
            #expect(path.isOwnAddress)
            #expect(!path.isOnLink)
        }
    }

    /// The kernel keeps the route, with the flag `linkdown`.
    @Test func believesTheCarrierMoreThanTheRoute() async throws {
        let watcher = try network.watcher()
        let log = EventLog(watcher)
        try network.ip("link set far down")
        #expect(await log.wait { $0.contains("no carrier near") })
        #expect(try await path("192.0.2.7").status == .unsatisfied(.noCarrier))
        #expect(try await path("192.0.2.7", interface: "near").status == .unsatisfied(.noCarrier))
    }

    @Test func blamesTheInterfaceThatIsNamed() async throws {
        try network.ip("link set near down")
        #expect(try await path("192.0.2.7").status == .unsatisfied(.noRoute))
        #expect(try await path("192.0.2.7", interface: "near").status == .unsatisfied(.adminDown))
        #expect(try await path("2001:db8::7", interface: "near").status == .unsatisfied(.adminDown))
        #expect(try await path("192.0.2.7", interface: "none").status == .unsatisfied(.interfaceMissing))
        #expect(try await path("192.0.2.7", interface: "none").operationalState == .missing)
    }

    @Test func missesAnAddress() async throws {
        try network.ip("address flush dev near scope global\nroute add default dev near")
        #expect(try await path("198.51.100.1").status == .unsatisfied(.noAddress))
    }

    @Test func findsThatLinkLocalDoesNotReachFar() async throws {
        try network.ip(
            """
            address flush dev near scope global
            -6 address add fe80::5/64 dev near nodad
            -6 route add default via fe80::9 dev near
            """
        )
        #expect(try await path("2001:db8:1::1").status == .unsatisfied(.linkLocalOnly))
        #expect(try await path("2001:db8:1::1", interface: "near").status == .unsatisfied(.linkLocalOnly))
    }

    @Test func asksForTheLinkOfAScopedAddress() async throws {
        try network.ip("-6 address add fe80::5/64 dev near nodad")
        let near = try network.connection().link(named: "near")
        let target = try #require(IPAddress(bytes: [0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [9]))
        let scoped = try #require(IPAddress(bytes: target.bytes, scope: UInt32(near.index)))
        let path = try network.watcher().path(to: scoped)
        #expect(path.interface == "near")
        #expect(path.isOnLink)
    }
}

extension EventLog {
    /// Whether the watcher knows an end of a veth that is up, and the carrier is as the other end has it.
    func isSettled(_ watcher: LocalWatcher) async -> Bool {
        await HangLimit.awaits {
            let links = watcher.state.links.filter { $0.status.link.kind == "veth" }
            let areUp = links.allSatisfy(\.status.link.isUp)
            return links.count == 2 && links.allSatisfy { $0.status.hasCarrier == areUp }
        }
    }
}
