// SPDX-License-Identifier: Apache-2.0

internal import CNetlink
import Glibc

/// Notices that interfaces, addresses or traffic control have changed (`ip monitor link address`, `tc monitor`) in the
/// network namespace of the thread that opened it, without saying how. Not thread-safe.
package final class ChangeMonitor {
    private let socket: NetlinkSocket

    /// Subscribes; throws the error of the system call that failed.
    package init() throws(NetlinkError) {
        let operation = "subscribe to network changes"
        socket = try NetlinkSocket(operation)
        try NetlinkSocket.checked(nl_socket_set_nonblocking(socket.pointer), operation)
        for group in [RTNLGRP_LINK, RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV6_IFADDR, RTNLGRP_TC] {
            try NetlinkSocket.checked(nl_socket_add_membership(socket.pointer, CInt(group.rawValue)), operation)
        }
    }

    /// Whether something has changed since the last call. A change is also assumed if the kernel dropped notifications,
    /// or if they cannot be read.
    package func hasChanged() -> Bool {
        var hasChanged = false
        // A storm of changes need not be read to its end.
        for _ in 0..<256 {
            do {
                // Ignores messages of other processes.
                if try socket.receive("read from the kernel").port == 0 { hasChanged = true }
            } catch {
                return hasChanged || error.code != EAGAIN
            }
        }
        return true
    }
}
