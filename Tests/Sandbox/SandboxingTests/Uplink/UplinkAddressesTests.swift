// SPDX-License-Identifier: Apache-2.0

import InternetAddresses
import LinkProfiles
import Netlink
import Testing

@testable import Gateway
@testable import Sandboxing

/// The addresses of an uplink, and of the name servers behind it.
@Suite struct UplinkAddressesTests {
    private func route(_ prefix: String) throws -> Route {
        let parts = prefix.split(separator: "/")
        let network = try #require(IPAddress(String(parts[0])))
        let router = try #require(IPAddress(network.family == .ipv4 ? "192.0.2.1" : "fe80::1"))
        return Route(to: network, prefixLength: try #require(UInt8(parts[1])), via: router, on: 2)
    }

    private func addresses(
        _ routes: [String],
        _ resolver: [String] = ["nameserver 192.0.2.53"],
        hasIPv6: Bool = true
    ) throws -> UplinkAddresses {
        try #require(UplinkAddresses(routes: try routes.map(route), resolver: resolver, hasIPv6: hasIPv6))
    }

    @Test(arguments: [
        ([], "10.0.2.100"), (["0.0.0.0/0", "192.168.0.0/16"], "10.0.2.100"),
        // Of VirtualBox, and of a sandbox in a sandbox.
        (["0.0.0.0/0", "10.0.2.0/24"], "10.187.93.100"), (["10.0.0.0/8"], "172.27.211.100"),
        (["10.0.2.15/32"], "10.187.93.100"), (["10.0.0.0/8", "172.16.0.0/12"], "198.51.100.100"),
    ])
    func areNobodys(routes: [String], own: String) throws {
        let found = try addresses(routes).ipv4
        #expect(found.own.description == own && found.own != found.router && found.prefixLength == 24)
    }

    /// Each uplink is another network, whatever this machine has; the first one has the name servers.
    @Test(arguments: [[], ["0.0.0.0/0", "::/0"], ["10.0.0.0/8", "172.16.0.0/12", "fd00::/8"]])
    func areOthersForEachUplink(routes: [String]) throws {
        let routes = try routes.map(route)
        let all = (0..<Scenario.maximumPaths).compactMap { number in
            UplinkAddresses(routes: routes, resolver: ["nameserver 192.0.2.53"], hasIPv6: true, number: number)
        }
        #expect(Set(all.map(\.ipv4.prefix)).count == Scenario.maximumPaths)
        #expect(Set(all.compactMap(\.ipv6?.prefix)).count == all.count { $0.ipv6 != nil })
        #expect(all.map(\.nameServers.count) == [1, 0, 0])
    }

    @Test func leaveTheNameServersAddressesAlone() throws {
        let found = try addresses(["0.0.0.0/0"], ["nameserver 10.0.2.3"])
        #expect(found.ipv4.own.description == "10.187.93.100")
        #expect(found.nameServers.map(\.inside.description) == ["10.187.93.3"])
    }

    @Test(arguments: [
        ([], true, [], false), (["::/0"], false, [], false), (["fe80::/64", "ff00::/8"], true, [], false),
        (["::/0", "2001:db8:1::/64"], true, ["::/0"], true), (["2001:db8:1::/64"], true, ["2001:db8:1::/64"], true),
    ])
    func reachWhatThisMachineReaches(routes: [String], hasIPv6: Bool, reached: [String], isThere: Bool) throws {
        let found = try addresses(routes, hasIPv6: hasIPv6)
        #expect((found.ipv6 != nil) == isThere)
        #expect(found.destinations.map { "\($0)" } == reached.map { $0 == "::/0" ? "::/0" : $0 })
    }

    @Test func giveEachNameServerOneOfItsOwn() throws {
        let lines = [
            "# by hand", "search a.example", "nameserver 192.0.2.53", "nameserver 2001:db8::53",
            "nameserver 127.0.0.53",
            "options timeout:1", "nameserver  192.0.2.54", "nameservers 1.2.3.4",
        ]
        let found = try addresses(["0.0.0.0/0", "::/0"], lines)
        #expect(found.nameServers.map(\.inside.description) == ["10.0.2.3", "fd00::3", "10.0.2.4", "10.0.2.5"])
        #expect(
            found.resolverLines(lines) == [
                "# by hand", "search a.example", "nameserver 10.0.2.3", "nameserver fd00::3", "nameserver 10.0.2.4",
                "options timeout:1", "nameserver 10.0.2.5", "nameservers 1.2.3.4",
            ]
        )
    }

    /// resolv.conf(5): then it is the local machine.
    @Test func mapTheLocalMachineIfNoServerIsNamed() throws {
        let found = try addresses([], ["options ndots:2"])
        #expect(found.nameServers.map(\.outside.description) == ["127.0.0.1"])
        #expect(found.resolverLines(["options ndots:2"]) == ["nameserver 10.0.2.3", "options ndots:2"])
    }

    @Test func dropAServerOfIPv6WhereThereIsNone() throws {
        let lines = ["nameserver 2001:db8::53", "nameserver 192.0.2.53"]
        let found = try addresses([], lines, hasIPv6: false)
        #expect(found.resolverLines(lines) == ["nameserver 10.0.2.3"])
    }
}
