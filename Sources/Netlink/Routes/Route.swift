// SPDX-License-Identifier: Apache-2.0

internal import CNetlink

/// A route: a line of `ip route show table all`.
public struct Route: Hashable, Sendable {
    /// What becomes of packets that take it (rtm_type in rtnetlink(7)).
    public enum Kind: UInt8, CaseIterable, Sendable {
        /// They leave by the next hop.
        case unicast = 1
        /// They are this host's.
        case local
        case broadcast, anycast, multicast
        /// They are dropped; the sender gets EINVAL.
        case blackhole
        /// They are refused with EHOSTUNREACH.
        case unreachable
        /// They are refused with EACCES.
        case prohibit
        /// They go on to the next routing rule, as if the table had no route.
        case `throw`
        case translate, external
    }

    /// Where the packets go next.
    public struct NextHop: Hashable, Sendable {
        /// What holds of it (`RTNH_F_` in linux/rtnetlink.h).
        public struct Flags: OptionSet, Hashable, Sendable {
            /// The bits.
            public let rawValue: UInt32
            /// Makes flags of their bits.
            public init(rawValue: UInt32) { self.rawValue = rawValue }

            /// Out of use.
            public static let dead = Flags(rawValue: 1)
            /// The gateway counts as on the link whatever the addresses say.
            public static let onLink = Flags(rawValue: 4)
            /// The interface has lost its carrier; the route is used nevertheless (ignore_routes_with_linkdown).
            public static let linkDown = Flags(rawValue: 16)
        }

        /// The interface's number.
        public let index: Int32
        /// The router, which may have an address of the other family (RTA_VIA); nil where the target is on the link.
        public let gateway: IPAddress?
        /// What holds of it.
        public let flags: Flags
        /// Its share among several.
        public let weight: Int
    }

    /// The network's address.
    public let destination: IPAddress
    /// How many of its bits count; 0 for the default route.
    public let prefixLength: UInt8
    /// What becomes of the packets.
    public let kind: Kind
    /// The table's number: 254 is `main`, 255 `local`.
    public let table: UInt32
    /// Among routes to the same network the least wins.
    public let metric: UInt32
    /// Only for packets of this type of service; 0 for all.
    public let typeOfService: UInt8
    /// Who made it (rtm_protocol): 2 the kernel, 3 boot, 4 an administrator.
    public let origin: UInt8
    /// The address that packets bear whose sender has chosen none.
    public let preferredSource: IPAddress?
    /// Where the packets go next; several share the load.
    public let nextHops: [NextHop]
    /// The largest packet where the route sets one.
    public let mtu: UInt32?
    /// Whether it is what the kernel has learnt about one target (RTM_F_CLONED), and no entry of a table.
    public let isCached: Bool

    /// The version of IP.
    public var family: IPAddress.Family { destination.family }
    /// Whether it leads to everything that no other route leads to.
    public var isDefault: Bool { prefixLength == 0 }

    init?(_ body: ArraySlice<UInt8>) {
        guard let header = body.load(rtmsg.self), let family = IPAddress.Family(number: header.rtm_family),
            let kind = Kind(rawValue: header.rtm_type)
        else { return nil }
        let attributes = AttributeReader(body.dropFirst(MemoryLayout<rtmsg>.size))
        guard
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
            let gateway = attributes.gateway
            nextHops = [
                NextHop(index: index, gateway: gateway, flags: .init(rawValue: header.rtm_flags & 0xFF), weight: 1)
            ]
        } else {
            nextHops = []
        }
    }
}

extension Route.NextHop {
    /// Reads `struct rtnexthop`s, each with its attributes (RTA_MULTIPATH).
    static func list(_ bytes: ArraySlice<UInt8>) -> [Self] {
        var hops: [Self] = []
        var rest = bytes
        while let header = rest.load(rtnexthop.self), header.rtnh_len >= MemoryLayout<rtnexthop>.size,
            header.rtnh_len <= rest.count
        {
            let entry = rest.prefix(Int(header.rtnh_len))
            let attributes = AttributeReader(entry.dropFirst(MemoryLayout<rtnexthop>.size))
            hops.append(
                Self(
                    index: header.rtnh_ifindex,
                    gateway: attributes.gateway,
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
    /// The router's address; of the other family it comes with that family's number before it (struct rtvia).
    fileprivate var gateway: IPAddress? {
        address(Int(RTA_GATEWAY.rawValue))
            ?? self[Int(RTA_VIA.rawValue)].flatMap { IPAddress(bytes: Array($0.dropFirst(2))) }
    }
}

extension RouteConnection {
    /// Every route of the family, of all tables.
    public func routes(_ family: IPAddress.Family) throws(NetlinkError) -> [Route] {
        let request = Request("list the \(family.rawValue) routes", type: Int(RTM_GETROUTE), flags: NLM_F_DUMP) {
            var header = rtmsg()
            header.rtm_family = family.number
            $0.append(header)
        }
        // A kernel without IPv6 answers for it with every family's.
        return try replies(to: request).compactMap { $0.type == RTM_NEWROUTE ? Route($0.body) : nil }
            .filter { $0.family == family }
    }
}
