// SPDX-License-Identifier: Apache-2.0

internal import Gateway
internal import InternetAddresses
internal import Netlink

/// The addresses of a sandbox's uplink, of networks that this machine has no route to: what it does reach, the sandbox reaches by
/// the same address.
struct UplinkAddresses: Equatable {
    struct Network: Equatable {
        var own: IPAddress
        var router: IPAddress
        var prefixLength: UInt8
    }

    var ipv4: Network
    /// The IPv6 network; nil if this machine has no IPv6.
    var ipv6: Network?
    /// The networks of IPv6 that this machine has a route to; everything, if it has a default route.
    var destinations: [AddressPrefix]
    /// The name servers of this machine, each with an address of its own in the sandbox.
    private(set) var nameServers: [GatewayProcess.NameServer] = []

    /// - Parameters:
    ///   - routes: those of this machine, of both versions.
    ///   - resolver: the lines of its resolv.conf(5).
    ///   - hasIPv6: whether a new network here has IPv6.
    ///   - number: which of the sandbox's uplinks it is, from 0. The first one has the name servers.
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

    /// Gives each server of these lines of resolv.conf(5) an address in the sandbox: the first one always the same.
    mutating func use(resolver: [String]) {
        var next = (ipv4: Self.firstServer, ipv6: Self.firstServer)
        nameServers = NameServerLines(resolver).servers.prefix(Self.maximumServers).compactMap { outside in
            // Without IPv6, no name server of IPv6 is reached, inside or outside.
            let isIPv4 = outside.family == .ipv4
            guard let network = isIPv4 ? ipv4 : ipv6 else { return nil }
            defer { if isIPv4 { next.ipv4 += 1 } else { next.ipv6 += 1 } }
            return network.address(isIPv4 ? next.ipv4 : next.ipv6).map { .init(inside: $0, outside: outside) }
        }
    }

    /// The lines of resolv.conf(5) in the sandbox: this machine's, with other addresses.
    func resolverLines(_ lines: [String]) -> [String] {
        let inside = Dictionary(nameServers.map { ($0.outside, $0.inside) }) { first, _ in first }
        return NameServerLines(lines).replacing { inside[$0] }
    }

    /// The networks that an uplink may have, the best first: those of other uplinks are others. The last ones are reserved for
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
    /// After the router's.
    private static let firstServer: UInt8 = 3
    /// Up to this host's own.
    private static let maximumServers = 90
}

extension UplinkAddresses.Network {
    init?(_ network: AddressPrefix) {
        guard let own = network.address(100), let router = network.address(2) else { return nil }
        self.init(own: own, router: router, prefixLength: UInt8(network.length))
    }

    /// The network's own address.
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
