// SPDX-License-Identifier: Apache-2.0

internal import CNetlink
import Glibc

/// The route of packets to one address: the result of `ip route get`.
public struct RouteLookup: Hashable, Sendable {
    /// The index of the interface.
    public let index: Int32
    /// The source address of the packets; nil if there is none.
    public let source: IPAddress?
    /// The router; nil if the target is on the link or this host.
    public let gateway: IPAddress?
    /// The fate of the packets: `unicast`, or `local` for an address of this host.
    public let kind: Route.Kind
    /// The table of the route. IPv4 reports `main` for `local` too until the first routing rule is added (fib_unmerge in
    /// fib_trie.c).
    public let table: UInt32
    /// The MTU of the route, or the path MTU learnt for the target; nil if there is none.
    public let mtu: UInt32?
}

extension RouteConnection {
    /// Looks up the route of packets to `address`: `ip route get ADDRESS [from SOURCE] [oif INDEX] [mark MARK]`.
    ///
    /// If `interface` is given and no route matches, IPv4 treats any address as on that link, as for sockets bound to a
    /// device.
    ///
    /// - Throws: ENETUNREACH if there is no route, or only one of the type `throw`; EHOSTUNREACH, EACCES or EINVAL for
    ///   routes of the types `unreachable`, `prohibit` and `blackhole`; ENODEV if the interface does not exist.
    package func lookUpRoute(
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
            // IPv6 always reports the table, and rejects the flag.
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
