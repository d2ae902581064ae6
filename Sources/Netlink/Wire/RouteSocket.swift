// SPDX-License-Identifier: Apache-2.0

internal import CNetlink
import Glibc

/// An rtnetlink(7) socket in the network namespace of the thread that opened it.
public final class RouteSocket: NetlinkTransport {
    private let socket: OpaquePointer

    /// Opens a socket.
    ///
    /// - Throws: the error of the system call that failed.
    public init() throws(NetlinkError) {
        guard let socket = nl_socket_alloc() else {
            throw NetlinkError(operation: "open a netlink socket", code: ENOMEM)
        }
        self.socket = socket
        try Self.checked(nl_connect(socket, NETLINK_ROUTE), "open a netlink socket")
        // The buffer holds any datagram, so no read is needed to find its size: dumps come in pieces of at most
        // 32 KiB (af_netlink.c).
        nl_socket_disable_msg_peek(socket)
        try Self.checked(nl_socket_set_msg_buf_size(socket, 65536), "size the netlink socket's buffer")
        // Kernels before 4.12 have no extended acknowledgement; without it, errors have no message of the kernel.
        var on: CInt = 1
        let descriptor = nl_socket_get_fd(socket)
        let size = socklen_t(MemoryLayout<CInt>.size)
        setsockopt(descriptor, SOL_NETLINK, CInt(NETLINK_EXT_ACK), &on, size)
        setsockopt(descriptor, SOL_NETLINK, CInt(NETLINK_CAP_ACK), &on, size)
        // With strict checking, the kernel applies the filters of dump requests, such as the device.
        setsockopt(descriptor, SOL_NETLINK, CInt(NETLINK_GET_STRICT_CHK), &on, size)
    }

    deinit { nl_socket_free(socket) }

    /// The socket's descriptor, which a child process may keep.
    package var descriptor: CInt { nl_socket_get_fd(socket) }

    /// Sends one request and returns the datagrams of the answer.
    public func exchange(_ request: Request) throws(NetlinkError) -> [[UInt8]] {
        let sequence = nl_socket_use_seq(socket)
        var bytes = request.bytes
        bytes.withUnsafeMutableBytes { buffer in
            buffer.storeBytes(of: sequence, toByteOffset: 8, as: UInt32.self)
            buffer.storeBytes(of: nl_socket_get_local_port(socket), toByteOffset: 12, as: UInt32.self)
        }
        try Self.checked(nl_sendto(socket, &bytes, bytes.count), request.operation)

        var datagrams: [[UInt8]] = []
        while true {
            let datagram = try receive(request.operation)
            // Skip the rest of the answer to an earlier request.
            guard datagram[...].load(UInt32.self, at: 8) == sequence else { continue }
            datagrams.append(datagram)
            if Self.endsAnswer(datagram) { return datagrams }
        }
    }

    private func receive(_ operation: String) throws(NetlinkError) -> [UInt8] {
        var address = sockaddr_nl()
        var data: UnsafeMutablePointer<UInt8>?
        let count = try Self.checked(nl_recv(socket, &address, &data, nil), operation)
        defer { free(data) }
        guard let data, count > 0 else {
            throw NetlinkError(
                operation: operation,
                code: ECONNRESET,
                kernelText: "the kernel closed the netlink socket"
            )
        }
        return Array(UnsafeBufferPointer(start: data, count: Int(count)))
    }

    /// Returns whether the datagram ends the answer: it contains an error, an acknowledgement or the end of a dump.
    private static func endsAnswer(_ datagram: [UInt8]) -> Bool {
        MessageSequence(datagram).contains { $0.type == NLMSG_ERROR || $0.type == NLMSG_DONE }
    }

    @discardableResult
    private static func checked(_ result: CInt, _ operation: String) throws(NetlinkError) -> CInt {
        guard result < 0 else { return result }
        // libnl replaces error numbers by its own; errno still has the kernel's.
        throw NetlinkError(
            operation: operation,
            code: errno == 0 ? EIO : errno,
            kernelText: String(cString: nl_geterror(result))
        )
    }
}
