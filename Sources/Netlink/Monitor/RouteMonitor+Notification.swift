// SPDX-License-Identifier: Apache-2.0

internal import CNetlink
import Glibc

extension RouteMonitor {
    /// A change that the kernel reports: the object after the change, or as it was before it was deleted.
    public enum Notification: Hashable, Sendable {
        /// An interface is new or has changed.
        case link(LinkStatus)
        /// An interface was deleted, or moved to another namespace.
        case linkGone(index: Int32)
        /// An address is new or has changed.
        case address(InterfaceAddress)
        /// An address was deleted.
        case addressGone(InterfaceAddress)
        /// A route is new or has changed.
        case route(Route)
        /// A route was deleted. The kernel does not report IPv4 routes that are deleted together with their interface or
        /// source address (fib_table_flush in fib_trie.c).
        case routeGone(Route)

        init?(_ message: MessageSequence.Element) {
            switch message.type {
            case Int(RTM_NEWLINK), Int(RTM_DELLINK):
                // Bridges report their ports in messages of AF_BRIDGE, where RTM_DELLINK means "removed from the bridge".
                guard let header = message.body.load(ifinfomsg.self), header.ifi_family == UInt8(AF_UNSPEC) else {
                    return nil
                }
                // Wireless events are incomplete link messages (rtnetlink_ifinfo_prep in wext-core.c).
                let attributes = AttributeReader(message.body.dropFirst(MemoryLayout<ifinfomsg>.size))
                guard attributes[Int(IFLA_WIRELESS)] == nil else { return nil }
                if message.type == RTM_DELLINK {
                    self = .linkGone(index: header.ifi_index)
                } else if let status = LinkStatus(Reply(type: message.type, body: message.body)) {
                    self = .link(status)
                } else {
                    return nil
                }
            case Int(RTM_NEWADDR), Int(RTM_DELADDR):
                guard let address = InterfaceAddress(message.body) else { return nil }
                self = message.type == RTM_NEWADDR ? .address(address) : .addressGone(address)
            case Int(RTM_NEWROUTE), Int(RTM_DELROUTE):
                guard let route = Route(message.body) else { return nil }
                self = message.type == RTM_NEWROUTE ? .route(route) : .routeGone(route)
            default:
                return nil
            }
        }
    }
}
