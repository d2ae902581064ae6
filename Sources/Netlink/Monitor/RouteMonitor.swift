// SPDX-License-Identifier: Apache-2.0

internal import CNetlink
import Glibc

/// A subscription to the kernel's changes of interfaces, addresses and routes (`ip monitor link address route`), in
/// the network namespace of the thread that opened it. One thread at a time may use it.
public final class RouteMonitor {
    /// What one reading has brought.
    public enum Arrival: Hashable, Sendable {
        /// Nothing is waiting.
        case nothing
        /// Changes, oldest first; none where the datagram was about something else.
        case notifications([Notification])
        /// The buffer was full and the kernel has dropped notifications: everything must be read anew.
        case overrun
    }

    private let socket: OpaquePointer

    /// Subscribes.
    ///
    /// - Parameter receiveBuffer: room for notifications not yet read, in bytes; the kernel takes twice as much for
    ///   its own accounting (socket(7)), and without CAP_NET_ADMIN no more than net.core.rmem_max.
    /// - Throws: the reason why the kernel has no socket to give.
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

    /// Readable when something has arrived; for poll(2).
    public var descriptor: CInt { nl_socket_get_fd(socket) }

    /// Reads one datagram, without waiting.
    ///
    /// - Throws: an error that reading again would only repeat.
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
        // Port 0 is the kernel; what others send is no news.
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
