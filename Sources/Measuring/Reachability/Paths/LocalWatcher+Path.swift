// SPDX-License-Identifier: Apache-2.0

import Glibc
public import LocalNetwork
public import Netlink

extension LocalWatcher {
    /// Whether, and how, packets to `address` would leave this host now.
    ///
    /// - Parameters:
    ///   - address: The target.
    ///   - interface: The interface that they must leave by; nil for any.
    ///   - source: The address that they must bear; nil for any.
    ///   - mark: The firewall mark that they bear (SO_MARK of socket(7)).
    public func path(
        to address: IPAddress,
        interface: String? = nil,
        from source: IPAddress? = nil,
        mark: UInt32? = nil
    ) -> Path {
        let before = state
        let index = interface.map { before.device(named: $0)?.status.link.index }
        // Without such an interface there is nothing to ask the kernel.
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

    /// Whether the next hop of `path` to `address` does not answer when the kernel asks for its link address: then
    /// the packets were lost on this link.
    public func lacksNeighbour(_ path: Path, to address: IPAddress) -> Bool {
        guard !path.isOwnAddress, let name = path.interface, let link = state.device(named: name) else { return false }
        return withLookups { connection in
            (try? connection.isUnresolved(path.gateway ?? address, on: link.status.link.index)) ?? false
        }
    }
}
