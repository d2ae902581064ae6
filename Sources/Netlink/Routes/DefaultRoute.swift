// SPDX-License-Identifier: Apache-2.0

extension RouteConnection {
    /// The index of the interface that the default route of the main table leads to, by the smallest metric; nil if
    /// there is no default route.
    ///
    /// `ip route show default`
    public func defaultRouteInterface(_ family: IPAddress.Family) throws(NetlinkError) -> Int32? {
        try routes(family)
            .filter { $0.isDefault && $0.kind == .unicast && $0.table == Self.mainTable && !$0.isCached }
            .min { $0.metric < $1.metric }?
            .nextHops.first?.index
    }

    /// RT_TABLE_MAIN of rtnetlink(7).
    private static let mainTable: UInt32 = 254
}
