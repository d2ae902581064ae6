// SPDX-License-Identifier: Apache-2.0

internal import Gateway
internal import InternetAddresses
internal import Netlink

/// The addresses of a sandbox's uplink. They are from networks that this machine has no route to, so that they hide no
/// host that the machine reaches.
struct UplinkAddresses: Equatable {
    struct Network: Equatable {
        var own: IPAddress
        var router: IPAddress
        var prefixLength: UInt8
    }

    var ipv4: Network
    /// The IPv6 network; nil if this machine has no IPv6.
    var ipv6: Network?
    /// The IPv6 networks that this machine has a route to; ::/0 if it has a default route.
    var destinations: [AddressPrefix]
    /// The name servers of this machine, each with an address of its own in the sandbox.
    private(set) var nameServers: [GatewayProcess.NameServer] = []

    /// - Parameters:
    ///   - routes: this machine's routes of both address families.
    ///   - resolver: the lines of this machine's resolv.conf(5).
    ///   - hasIPv6: whether a new network here has IPv6.
    ///   - number: the index of the uplink. Index 0 has the name servers.
    init?(routes: [Route], resolver: [String], hasIPv6: Bool, number: Int = 0) {
        let networks = routes.filter { !$0.isDefault && !$0.isCached }.compactMap {
            AddressPrefix("\($0.destination.withoutScope)/\($0.prefixLength)")
        }
        let servers = NameServerLines(resolver).servers
        func choose(_ candidates: [String]) -> AddressPrefix? {
            let free = candidates.compactMap { AddressPrefix($0) }.first { candidate in
                !networks.contains { $0.contains(candidate) || candidate.contains($0) }
                    && !servers.contains { candidate.contains($0) }
            }
            return free ?? candidates.last.flatMap { AddressPrefix($0) }
        }
        guard let network = choose(Self.candidates4(number)), let ipv4 = Network(network) else { return nil }
        self.ipv4 = ipv4
        let reached = routes.filter { route in
            route.family == .ipv6 && route.kind == .unicast && !route.isCached && !route.destination.isLinkLocal
                && route.destination.bytes[0] != 0xFF
        }
        let network6 =
            hasIPv6 && (!reached.isEmpty || servers.contains { $0.family == .ipv6 })
            ? choose(Self.candidates6(number)) : nil
        ipv6 = network6.flatMap { Network($0) }
        destinations =
            ipv6 == nil
            ? []
            : reached.contains(where: \.isDefault)
                ? [AddressPrefix("::/0")].compactMap(\.self)
                : Array(Set(reached.compactMap { AddressPrefix("\($0.destination)/\($0.prefixLength)") }))
        if number == 0 { use(resolver: resolver) }
    }

    /// Gives each server of these lines of resolv.conf(5) an address in the sandbox, from `firstServer` on in their
    /// order.
    mutating func use(resolver: [String]) {
        var next = (ipv4: Self.firstServer, ipv6: Self.firstServer)
        nameServers = NameServerLines(resolver).servers.prefix(Self.maximumServers).compactMap { outside in
            // Without IPv6, no IPv6 name server can be reached, inside or outside.
            let isIPv4 = outside.family == .ipv4
            guard let network = isIPv4 ? ipv4 : ipv6 else { return nil }
            defer { if isIPv4 { next.ipv4 += 1 } else { next.ipv6 += 1 } }
            return network.address(isIPv4 ? next.ipv4 : next.ipv6).map { .init(inside: $0, outside: outside) }
        }
    }

    /// The lines of resolv.conf(5) in the sandbox: this machine's, with the servers' addresses in the sandbox.
    func resolverLines(_ lines: [String]) -> [String] {
        let inside = Dictionary(nameServers.map { ($0.outside, $0.inside) }) { first, _ in first }
        return NameServerLines(lines).replacing { inside[$0] }
    }

    /// The networks to try for an uplink, in order; each uplink has different ones. The last ones are reserved for
    /// documentation (RFC 5737, RFC 3849).
    private static func candidates4(_ number: Int) -> [String] {
        let reserved = ["198.51.100.0/24", "203.0.113.0/24", "192.0.2.0/24"]
        return [
            "10.0.\(2 + number).0/24", "10.187.\(93 + number).0/24", "172.27.\(211 + number).0/24",
            reserved[number % reserved.count],
        ]
    }
    private static func candidates6(_ number: Int) -> [String] {
        ["fd00", "fd5c:7a11:9e02", "2001:db8:5c"].map { number == 0 ? "\($0)::/64" : "\($0):\(number)::/64" }
    }
    /// The last byte of the first name server's address, after the router's.
    private static let firstServer: UInt8 = 3
    /// The most name servers: their addresses end before this host's own.
    private static let maximumServers = 90
}

extension UplinkAddresses.Network {
    init?(_ network: AddressPrefix) {
        guard let own = network.address(100), let router = network.address(2) else { return nil }
        self.init(own: own, router: router, prefixLength: UInt8(network.length))
    }

    /// The address of the network itself, with host part 0.
    var prefix: IPAddress { address(0) ?? own }

    /// The address with this last byte.
    fileprivate func address(_ host: UInt8) -> IPAddress? { IPAddress(bytes: own.bytes.dropLast() + [host]) }
}

extension AddressPrefix {
    /// The address with this last byte.
    fileprivate func address(_ host: UInt8) -> IPAddress? { IPAddress(bytes: bytes.dropLast() + [host]) }
}

extension IPAddress {
    fileprivate var withoutScope: IPAddress { IPAddress(bytes: bytes) ?? self }
    fileprivate var isLinkLocal: Bool { family == .ipv6 && bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80 }
}
