// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import Netlink

extension RouteConnection {
    /// An interface and those that carry its packets: a bridge's or bond's members, a VLAN's device.
    func interfaces(below interface: String) -> Set<String> {
        let links = (try? linkStatuses()) ?? []
        guard let top = links.first(where: { $0.link.name == interface }) else { return [interface] }
        return Set(Self.below([top.link.index], links).map(\.link.name))
    }

    /// The interfaces that carry packets to `address`; none without a route, and for an address of this host.
    func interfaces(to address: IPAddress) -> Set<String> {
        guard let route = try? lookUpRoute(to: address), route.kind == .unicast else { return [] }
        return Set(Self.below([route.index], (try? linkStatuses()) ?? []).map(\.link.name))
    }

    private static func below(_ top: Set<Int32>, _ links: [LinkStatus]) -> [LinkStatus] {
        var found = top
        var size = 0
        while found.count > size {
            size = found.count
            for status in links {
                // A veth's peer is not below it: either may be in its own bridge.
                if let master = status.master, found.contains(master) { found.insert(status.link.index) }
                if found.contains(status.link.index), status.link.kind != "veth", status.lowerNamespace == nil,
                    let lower = status.lower
                {
                    found.insert(lower)
                }
            }
        }
        return links.filter { found.contains($0.link.index) }
    }
}

/// The addresses of this network's interfaces: getifaddrs(3).
enum LocalAddress {
    /// The interface that has `address`.
    static func interface(of address: AddressPrefix) -> String? {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return nil }
        defer { freeifaddrs(list) }
        var next = list
        while let entry = next {
            next = entry.pointee.ifa_next
            guard let socket = entry.pointee.ifa_addr, text(socket) == address.description else { continue }
            return String(cString: entry.pointee.ifa_name)
        }
        return nil
    }

    private static func text(_ address: UnsafeMutablePointer<sockaddr>) -> String? {
        let family = Int32(address.pointee.sa_family)
        guard family == AF_INET || family == AF_INET6 else { return nil }
        let offset = family == AF_INET ? 4 : 8
        var buffer = [CChar](repeating: 0, count: 64)
        inet_ntop(family, UnsafeRawPointer(address) + offset, &buffer, socklen_t(buffer.count))
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
