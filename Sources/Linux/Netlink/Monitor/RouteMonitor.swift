// SPDX-License-Identifier: Apache-2.0

internal import CNetlink
import Glibc

/// A subscription to changes of interfaces, addresses and routes (`ip monitor link address route`) in the network
/// namespace of the thread that opened it. Not thread-safe.
package final class RouteMonitor {
    /// The result of one read.
    package enum Arrival: Hashable, Sendable {
        /// No datagram is waiting.
        case nothing
        /// Changes, oldest first; empty if the datagram contains other messages only.
        case notifications([Notification])
        /// The receive buffer overflowed and the kernel dropped notifications: all objects must be read again.
        case overrun
    }

    private let socket: NetlinkSocket

    /// Subscribes; throws the error of the system call that failed.
    ///
    /// - Parameter receiveBuffer: the size of the receive buffer in bytes. The kernel doubles it for its own accounting
    ///   (socket(7)), and without CAP_NET_ADMIN limits it to net.core.rmem_max.
    package init(receiveBuffer: Int = 4 << 20) throws(NetlinkError) {
        let operation = "subscribe to network changes"
        socket = try NetlinkSocket(operation)
        try NetlinkSocket.checked(nl_socket_set_nonblocking(socket.pointer), operation)
        let size = CInt(clamping: receiveBuffer)
        if !socket.set(SOL_SOCKET, SO_RCVBUFFORCE, size) { _ = socket.set(SOL_SOCKET, SO_RCVBUF, size) }
        for group in [
            RTNLGRP_LINK, RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV6_IFADDR, RTNLGRP_IPV4_ROUTE, RTNLGRP_IPV6_ROUTE,
        ] {
            try NetlinkSocket.checked(nl_socket_add_membership(socket.pointer, CInt(group.rawValue)), operation)
        }
    }

    /// The socket's descriptor for poll(2); readable when a datagram is waiting.
    package var descriptor: CInt { socket.descriptor }

    /// Reads one datagram, without waiting. Throws only errors that are not temporary.
    package func receive() throws(NetlinkError) -> Arrival {
        do {
            let (datagram, port) = try socket.receive("read from the kernel")
            // Port 0 is the kernel; ignore messages of other processes.
            return .notifications(port == 0 ? MessageSequence(datagram).compactMap { Notification($0) } : [])
        } catch {
            switch error.code {
            case EAGAIN: return .nothing
            case ENOBUFS: return .overrun
            default: throw NetlinkError(operation: error.operation, code: error.code)
            }
        }
    }
}

extension RouteMonitor {
    /// A change that the kernel reports, with the object after the change or, if it was deleted, before.
    package enum Notification: Hashable, Sendable {
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

        init?(_ message: Reply) {
            switch message.type {
            case Int(RTM_NEWLINK), Int(RTM_DELLINK):
                // Bridges report their ports in messages of AF_BRIDGE, where RTM_DELLINK means "removed from the bridge".
                // Wireless events are incomplete link messages (rtnetlink_ifinfo_prep in wext-core.c).
                guard let (header, attributes) = message.body.parse(ifinfomsg.self),
                    header.ifi_family == UInt8(AF_UNSPEC), attributes[Int(IFLA_WIRELESS)] == nil
                else { return nil }
                if message.type == RTM_DELLINK {
                    self = .linkGone(index: header.ifi_index)
                } else {
                    guard let status = LinkStatus(message) else { return nil }
                    self = .link(status)
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
