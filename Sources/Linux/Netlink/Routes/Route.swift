// SPDX-License-Identifier: Apache-2.0

internal import CNetlink

/// A route: a line of `ip route show table all`.
public struct Route: Hashable, Sendable {
    /// The fate of packets that match the route (rtm_type in rtnetlink(7)).
    public enum Kind: UInt8, CaseIterable, Sendable {
        /// They are sent to the next hop.
        case unicast = 1
        /// They are delivered to this host.
        case local
        case broadcast, anycast, multicast
        /// They are dropped; the sender gets EINVAL.
        case blackhole
        /// They are refused with EHOSTUNREACH.
        case unreachable
        /// They are refused with EACCES.
        case prohibit
        /// The lookup continues with the next routing rule.
        case `throw`
        case translate, external
    }

    /// The next hop of packets.
    public struct NextHop: Hashable, Sendable {
        /// The flags of a next hop (`RTNH_F_` in linux/rtnetlink.h).
        public struct Flags: OptionSet, Hashable, Sendable {
            /// The bits.
            public let rawValue: UInt32
            /// Makes flags from their bits.
            public init(rawValue: UInt32) { self.rawValue = rawValue }

            /// The next hop is not used.
            public static let dead = Flags(rawValue: 1)
            /// The gateway is on the link, regardless of the addresses.
            public static let onLink = Flags(rawValue: 4)
            /// The interface has no carrier; the route is still used, unless ignore_routes_with_linkdown is set.
            public static let linkDown = Flags(rawValue: 16)
        }

        /// The index of the interface.
        public let index: Int32
        /// The router, possibly with an address of the other family (RTA_VIA); nil if the target is on the link.
        public let gateway: IPAddress?
        /// The flags.
        public let flags: Flags
        /// The weight among several next hops.
        public let weight: Int
    }

    /// The network's address.
    public let destination: IPAddress
    /// The length of the network prefix in bits; 0 for the default route.
    public let prefixLength: UInt8
    /// The fate of the packets.
    public let kind: Kind
    /// The table's number: 254 is `main`, 255 `local`.
    public package(set) var table: UInt32
    /// The metric; among routes to the same network, the route with the lowest metric is used.
    public package(set) var metric: UInt32
    /// The type of service of the packets; 0 for all packets.
    public let typeOfService: UInt8
    /// The origin of the route (rtm_protocol): 2 the kernel, 3 boot, 4 an administrator.
    public let origin: UInt8
    /// The source address of packets whose sender has not chosen one.
    public let preferredSource: IPAddress?
    /// The next hops; several share the load.
    public let nextHops: [NextHop]
    /// The MTU of the route; nil if it sets none.
    public let mtu: UInt32?
    /// Whether the route is a cached exception for one target (RTM_F_CLONED) and not an entry of a table.
    public let isCached: Bool

    /// The address family.
    public var family: IPAddress.Family { destination.family }
    /// Whether the route is a default route.
    public var isDefault: Bool { prefixLength == 0 }

    /// Makes a route to a network through a router on the link, as an administrator does.
    package init(to destination: IPAddress, prefixLength: UInt8, via gateway: IPAddress, on interface: Int32) {
        (self.destination, self.prefixLength) = (destination, prefixLength)
        (kind, table, metric, typeOfService, origin) = (.unicast, 254, 0, 0, 4)
        (preferredSource, mtu, isCached) = (nil, nil, false)
        nextHops = [NextHop(index: interface, gateway: gateway, flags: [], weight: 1)]
    }

    init?(_ body: ArraySlice<UInt8>) {
        guard let (header, attributes) = body.parse(rtmsg.self),
            let family = IPAddress.Family(number: header.rtm_family), let kind = Kind(rawValue: header.rtm_type),
            let destination = attributes.address(Int(RTA_DST.rawValue)) ?? IPAddress(bytes: family.unspecified),
            destination.family == family
        else { return nil }
        self.destination = destination
        prefixLength = header.rtm_dst_len
        self.kind = kind
        table = attributes.value(Int(RTA_TABLE.rawValue)) ?? UInt32(header.rtm_table)
        metric = attributes.value(Int(RTA_PRIORITY.rawValue)) ?? 0
        typeOfService = header.rtm_tos
        origin = header.rtm_protocol
        preferredSource = attributes.address(Int(RTA_PREFSRC.rawValue))
        mtu = attributes.nested(Int(RTA_METRICS.rawValue))?.value(Int(RTAX_MTU))
        isCached = header.rtm_flags & UInt32(RTM_F_CLONED) != 0
        if let several = attributes[Int(RTA_MULTIPATH.rawValue)] {
            nextHops = NextHop.list(several)
        } else if let index = attributes.value(Int(RTA_OIF.rawValue), as: Int32.self) {
            let flags = NextHop.Flags(rawValue: header.rtm_flags & 0xFF)
            nextHops = [NextHop(index: index, gateway: attributes.gateway, flags: flags, weight: 1)]
        } else {
            nextHops = []
        }
    }
}

extension Route.NextHop {
    /// Decodes a sequence of `struct rtnexthop`, each with its attributes (RTA_MULTIPATH).
    static func list(_ bytes: ArraySlice<UInt8>) -> [Self] {
        var hops: [Self] = []
        var rest = bytes
        while let header = rest.load(rtnexthop.self), header.rtnh_len >= MemoryLayout<rtnexthop>.size,
            header.rtnh_len <= rest.count
        {
            let attributes = rest.prefix(Int(header.rtnh_len)).parse(rtnexthop.self)?.1
            hops.append(
                Self(
                    index: header.rtnh_ifindex,
                    gateway: attributes?.gateway,
                    flags: Flags(rawValue: UInt32(header.rtnh_flags)),
                    weight: Int(header.rtnh_hops) + 1
                )
            )
            rest = rest.dropFirst((Int(header.rtnh_len) + 3) & ~3)
        }
        return hops
    }
}

extension AttributeReader {
    /// The router's address; in RTA_VIA, an address of the other family follows its family's number (struct rtvia).
    fileprivate var gateway: IPAddress? {
        address(Int(RTA_GATEWAY.rawValue))
            ?? self[Int(RTA_VIA.rawValue)].flatMap { IPAddress(bytes: Array($0.dropFirst(2))) }
    }
}

extension RouteConnection {
    /// Returns every route of the family, of all tables.
    package func routes(_ family: IPAddress.Family) throws(NetlinkError) -> [Route] {
        let request = Request("list the \(family.rawValue) routes", type: Int(RTM_GETROUTE), flags: NLM_F_DUMP) {
            var header = rtmsg()
            header.rtm_family = family.number
            $0.append(header)
        }
        // A kernel without IPv6 answers with the routes of all families.
        return try replies(to: request).compactMap { $0.type == RTM_NEWROUTE ? Route($0.body) : nil }
            .filter { $0.family == family }
    }

    /// The index of the interface that the default route of the main table leads to, by the smallest metric; nil if
    /// there is no default route: `ip route show default`
    package func defaultRouteInterface(_ family: IPAddress.Family) throws(NetlinkError) -> Int32? {
        try routes(family)
            .filter { $0.isDefault && $0.kind == .unicast && $0.table == Self.mainTable && !$0.isCached }
            .min { $0.metric < $1.metric }?
            .nextHops.first?.index
    }

    /// RT_TABLE_MAIN of rtnetlink(7).
    private static let mainTable: UInt32 = 254
}
