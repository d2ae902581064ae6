// SPDX-License-Identifier: Apache-2.0

internal import CNetlink
import Glibc

/// How packets to one address leave this host: the answer to `ip route get`.
public struct RouteLookup: Hashable, Sendable {
    /// The interface's number.
    public let index: Int32
    /// The address that the packets bear; nil where there is none to bear.
    public let source: IPAddress?
    /// The router; nil where the target is on the link or this host.
    public let gateway: IPAddress?
    /// What becomes of the packets: `unicast`, or `local` for an address of this host.
    public let kind: Route.Kind
    /// The table that the route stands in. IPv4 keeps `local` in `main` until there are rules of one's own, and then
    /// names that for both (fib_unmerge in fib_trie.c).
    public let table: UInt32
    /// The largest packet where the route or what was learnt about the target sets one.
    public let mtu: UInt32?
}

extension RouteConnection {
    /// Finds how packets to `address` leave this host: `ip route get ADDRESS [from SOURCE] [oif INDEX] [mark MARK]`.
    ///
    /// With an interface named, IPv4 takes any address for one of that link where no route says otherwise, as it does
    /// for sockets bound to a device.
    ///
    /// - Throws: ENETUNREACH where no route leads there, or one of the type `throw`; EHOSTUNREACH, EACCES or EINVAL
    ///   for routes of the types `unreachable`, `prohibit` and `blackhole`; ENODEV where the interface is not there.
    public func lookUpRoute(
        to address: IPAddress,
        from source: IPAddress? = nil,
        interface: Int32? = nil,
        mark: UInt32? = nil
    ) throws(NetlinkError) -> RouteLookup {
        let operation = "find a route to \(address)"
        let request = Request(operation, type: Int(RTM_GETROUTE), flags: NLM_F_ACK) { message in
            var header = rtmsg()
            header.rtm_family = address.family.number
            header.rtm_dst_len = address.family.bitWidth
            header.rtm_src_len = source == nil ? 0 : address.family.bitWidth
            // IPv6 names the table unasked, and takes the flag for a mistake.
            header.rtm_flags = address.family == .ipv4 ? UInt32(RTM_F_LOOKUP_TABLE) : 0
            message.append(header)
            message.put(Int(RTA_DST.rawValue), bytes: address.bytes)
            if let source { message.put(Int(RTA_SRC.rawValue), bytes: source.bytes) }
            let scope = address.scope == 0 ? nil : Int32(bitPattern: address.scope)
            if let index = interface ?? scope { message.put(Int(RTA_OIF.rawValue), index) }
            if let mark { message.put(Int(RTA_MARK.rawValue), mark) }
        }
        let answer = try replies(to: request).first { $0.type == RTM_NEWROUTE }
        guard let answer, let route = Route(answer.body), let hop = route.nextHops.first else {
            throw NetlinkError(operation: operation, code: ENODATA)
        }
        let chosen = route.preferredSource ?? source
        return RouteLookup(
            index: hop.index,
            source: chosen.flatMap { $0.isUnspecified ? nil : $0 },
            gateway: hop.gateway,
            kind: route.kind,
            table: route.table,
            mtu: route.mtu
        )
    }
}
