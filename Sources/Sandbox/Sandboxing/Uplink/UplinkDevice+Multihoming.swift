// SPDX-License-Identifier: Apache-2.0

internal import LinkConditioning
internal import Netlink
internal import PacketPump

/// One of several uplinks: packets with a source address of the interface use the interface's routes, and Multipath TCP
/// (RFC 8684) opens a path from each of these addresses.
extension UplinkDevice {
    /// The routes and rules of an interface beside other uplinks.
    struct Multihoming {
        /// The order of preference, from 0.
        var number: Int
        /// The path manager of Multipath TCP; nil if the kernel has none.
        var endpoints: MultipathEndpoints?

        /// The metric of the default route: the route with the lowest is preferred.
        var metric: UInt32 { UInt32(number + 1) * 100 }
        /// The table of the routes for packets with an address of the interface.
        var table: UInt32 { 100 + UInt32(number) }
        /// The priority of the routing rule that leads to the table. The next rule rejects packets for which the table
        /// has no route.
        var priority: UInt32 { 1000 + UInt32(number) * 10 }
    }

    /// Has packets with a source address of the interface use only the interface's routes.
    ///
    /// Without a carrier, the interface's table has no route. The main table would then lead to another uplink, whose
    /// network does not carry these source addresses.
    func addSourceRules(_ addresses: UplinkAddresses) throws(ConditioningError) {
        guard let multihoming else { return }
        let (priority, networks) = (multihoming.priority, [addresses.ipv4, addresses.ipv6].compactMap(\.self))
        for network in networks {
            for (table, priority) in [(multihoming.table, priority), (nil, priority + 1)] {
                try perform(
                    RoutingRuleRequest.add(
                        from: network.prefix,
                        prefixLength: network.prefixLength,
                        lookUp: table,
                        priority: priority
                    )
                )
            }
        }
    }

    /// Has Multipath TCP open paths from the present addresses, and end paths from removed ones, as network managers
    /// do.
    ///
    /// The kernel has eight endpoints (net/mptcp/pm.c, MPTCP_PM_ADDR_MAX). With more addresses, the rest open no path.
    func announce() throws(ConditioningError) {
        guard let multihoming, let endpoints = multihoming.endpoints else { return }
        let present = state.isUp ? try ownAddresses().map(\.address) : []
        for (address, identifier) in announced where !present.contains(address) {
            try? endpoints.remove(address, identifier: identifier)
        }
        announced.removeAll { !present.contains($0.address) }
        let first = UInt8(multihoming.number) * Self.identifiers + 1
        for address in present where !announced.contains(where: { $0.address == address }) {
            let free = (first..<first + Self.identifiers).first { identifier in
                !announced.contains { $0.identifier == identifier }
            }
            guard let free, (try? endpoints.add(address, identifier: free, on: index)) != nil else { continue }
            announced.append((address, free))
        }
    }

    /// The number of identifiers for each interface, of 255 in all.
    private static let identifiers: UInt8 = 80
}
