// SPDX-License-Identifier: Apache-2.0

internal import CNetlink
import Glibc

/// A netlink(7) socket of libnl in the network namespace of the thread that opened it.
final class NetlinkSocket {
    let pointer: OpaquePointer

    var descriptor: CInt { nl_socket_get_fd(pointer) }

    init(_ operation: String, to family: CInt = NETLINK_ROUTE) throws(NetlinkError) {
        guard let pointer = nl_socket_alloc() else { throw NetlinkError(operation: operation, code: ENOMEM) }
        self.pointer = pointer
        try Self.checked(nl_connect(pointer, family), operation)
        // The buffer holds any datagram, so no read is needed to find its size: dumps come in pieces of at most
        // 32 KiB (af_netlink.c).
        nl_socket_disable_msg_peek(pointer)
        try Self.checked(nl_socket_set_msg_buf_size(pointer, 65536), operation)
    }

    deinit { nl_socket_free(pointer) }

    /// Sets an option, which some kernels lack; returns whether that succeeded.
    func set(_ level: CInt, _ option: CInt, _ value: CInt) -> Bool {
        var value = value
        return setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<CInt>.size)) == 0
    }

    /// Reads one datagram, which is empty once the kernel has closed the socket.
    ///
    /// - Returns: the bytes, and the sender's port: 0 for the kernel.
    func receive(_ operation: String) throws(NetlinkError) -> (datagram: [UInt8], port: UInt32) {
        var address = sockaddr_nl()
        var data: UnsafeMutablePointer<UInt8>?
        let count = try Self.whileMemoryIsShort { () throws(NetlinkError) in
            try Self.checked(nl_recv(pointer, &address, &data, nil), operation)
        }
        defer { free(data) }
        return (Array(UnsafeBufferPointer(start: data, count: data == nil ? 0 : Int(count))), address.nl_pid)
    }

    /// Calls `read` again while the kernel lacks memory for it. The reply waits in the socket, and only the reply shows
    /// whether the request was carried out.
    static func whileMemoryIsShort<Answer>(
        attempts: Int = 20,
        pause: useconds_t = 10_000,
        _ read: () throws(NetlinkError) -> Answer
    ) throws(NetlinkError) -> Answer {
        for _ in 1..<attempts {
            do {
                return try read()
            } catch  where error.code == ENOMEM {
                usleep(pause)
            }
        }
        return try read()
    }

    @discardableResult
    static func checked(_ result: CInt, _ operation: String) throws(NetlinkError) -> CInt {
        guard result < 0 else { return result }
        // libnl replaces error numbers by its own; errno still has the kernel's.
        throw NetlinkError(
            operation: operation,
            code: errno == 0 ? EIO : errno,
            kernelText: String(cString: nl_geterror(result))
        )
    }
}
