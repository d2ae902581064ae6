// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import Netlink

extension RouteConnection {
    /// The names of an interface and of the interfaces that carry its packets: a bridge's or bond's members, a VLAN's
    /// device.
    func interfaces(below interface: Int32) -> Set<String> {
        guard let links = try? linkStatuses() else {
            // The interfaces below `interface` are unknown, but its own name is not.
            var name = [CChar](repeating: 0, count: Int(IF_NAMESIZE))
            guard if_indextoname(UInt32(bitPattern: interface), &name) != nil else { return [] }
            return [String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)]
        }
        var found: Set = [interface]
        var size = 0
        while found.count > size {
            size = found.count
            for status in links {
                // A veth's peer is not below the veth: either may be in a bridge.
                if let master = status.master, found.contains(master) { found.insert(status.link.index) }
                if found.contains(status.link.index), status.link.kind != "veth", status.lowerNamespace == nil,
                    let lower = status.lower
                {
                    found.insert(lower)
                }
            }
        }
        return Set(links.map(\.link).filter { found.contains($0.index) }.map(\.name))
    }

    /// The interfaces that carry packets to `address`; none without a route, or for an address of this host.
    func interfaces(to address: IPAddress) -> Set<String> {
        guard let route = try? lookUpRoute(to: address), route.kind == .unicast else { return [] }
        return interfaces(below: route.index)
    }
}
