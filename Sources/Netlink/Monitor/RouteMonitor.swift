// SPDX-License-Identifier: Apache-2.0

internal import CNetlink
import Glibc

/// A subscription to changes of interfaces, addresses and routes (`ip monitor link address route`) in the network
/// namespace of the thread that opened it. Not thread-safe.
public final class RouteMonitor {
    /// The result of one read.
    public enum Arrival: Hashable, Sendable {
        /// No datagram is waiting.
        case nothing
        /// Changes, oldest first; empty if the datagram contains other messages only.
        case notifications([Notification])
        /// The receive buffer overflowed and the kernel dropped notifications: all objects must be read again.
        case overrun
    }

    private let socket: OpaquePointer

    /// Subscribes.
    ///
    /// - Parameter receiveBuffer: the size of the receive buffer in bytes. The kernel doubles it for its own accounting
    ///   (socket(7)), and without CAP_NET_ADMIN limits it to net.core.rmem_max.
    /// - Throws: the error of the system call that failed.
    public init(receiveBuffer: Int = 4 << 20) throws(NetlinkError) {
        guard let socket = nl_socket_alloc() else {
            throw NetlinkError(operation: Self.operation, code: ENOMEM)
        }
        self.socket = socket
        try Self.checked(nl_connect(socket, NETLINK_ROUTE))
        nl_socket_disable_msg_peek(socket)
        try Self.checked(nl_socket_set_msg_buf_size(socket, 65536))
        try Self.checked(nl_socket_set_nonblocking(socket))
        var size = CInt(clamping: receiveBuffer)
        let length = socklen_t(MemoryLayout<CInt>.size)
        if setsockopt(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, &size, length) < 0 {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, length)
        }
        for group in [
            RTNLGRP_LINK, RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV6_IFADDR, RTNLGRP_IPV4_ROUTE, RTNLGRP_IPV6_ROUTE,
        ] {
            try Self.checked(nl_socket_add_membership(socket, CInt(group.rawValue)))
        }
    }

    deinit { nl_socket_free(socket) }

    /// The socket's descriptor for poll(2); readable when a datagram is waiting.
    public var descriptor: CInt { nl_socket_get_fd(socket) }

    /// Reads one datagram, without waiting.
    ///
    /// - Throws: an error that is not temporary.
    public func receive() throws(NetlinkError) -> Arrival {
        var address = sockaddr_nl()
        var data: UnsafeMutablePointer<UInt8>?
        let count = nl_recv(socket, &address, &data, nil)
        let code = errno
        defer { free(data) }
        if count < 0 {
            switch code {
            case EAGAIN: return .nothing
            case ENOBUFS: return .overrun
            default: throw NetlinkError(operation: "read from the kernel", code: code == 0 ? EIO : code)
            }
        }
        // Port 0 is the kernel; ignore messages of other processes.
        guard let data, count > 0, address.nl_pid == 0 else { return .notifications([]) }
        let datagram = Array(UnsafeBufferPointer(start: data, count: Int(count)))
        return .notifications(MessageSequence(datagram).compactMap { Notification($0) })
    }

    private static let operation = "subscribe to network changes"

    private static func checked(_ result: CInt) throws(NetlinkError) {
        guard result < 0 else { return }
        throw NetlinkError(
            operation: operation,
            code: errno == 0 ? EIO : errno,
            kernelText: String(cString: nl_geterror(result))
        )
    }
}
