// SPDX-License-Identifier: Apache-2.0

import Glibc
public import LocalNetwork
public import Netlink

extension LocalWatcher {
    /// Looks up whether, and by which path, packets to `address` would leave this host now.
    ///
    /// - Parameters:
    ///   - address: the target.
    ///   - interface: the interface over which they must leave; nil for any.
    ///   - source: the source address that they must have; nil for any.
    ///   - mark: their firewall mark (SO_MARK of socket(7)); nil for none.
    public func path(
        to address: IPAddress,
        interface: String? = nil,
        from source: IPAddress? = nil,
        mark: UInt32? = nil
    ) -> Path {
        let before = state
        let index = interface.map { before.device(named: $0)?.status.link.index }
        // If the interface does not exist, the kernel cannot be queried.
        if case .some(nil) = index {
            let error = NetlinkError(operation: "find a route to \(address)", code: ENODEV)
            return Path(to: address, .failure(error), interface: interface, in: before)
        }
        let lookup = withLookups { connection in
            Result { () throws(NetlinkError) in
                try connection.lookUpRoute(to: address, from: source, interface: index ?? nil, mark: mark)
            }
        }
        return Path(to: address, lookup, interface: interface, in: state)
    }

    /// Whether the next hop of `path` to `address` does not answer address resolution, so that packets are lost on this
    /// link.
    public func lacksNeighbour(_ path: Path, to address: IPAddress) -> Bool {
        guard !path.isOwnAddress, let name = path.interface, let link = state.device(named: name) else { return false }
        return withLookups { connection in
            (try? connection.isUnresolved(path.gateway ?? address, on: link.status.link.index)) ?? false
        }
    }
}
