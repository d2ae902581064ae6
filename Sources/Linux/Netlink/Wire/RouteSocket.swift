// SPDX-License-Identifier: Apache-2.0

internal import CNetlink
import Glibc

/// A netlink(7) socket in the network namespace of the thread that opened it; for rtnetlink(7) by default.
package final class RouteSocket: NetlinkTransport {
    private let socket: NetlinkSocket

    /// Opens a socket; throws the error of the system call that failed.
    package convenience init() throws(NetlinkError) { try self.init(to: NETLINK_ROUTE) }

    /// - Parameter family: the netlink family of the requests, from netlink(7).
    init(to family: CInt) throws(NetlinkError) {
        socket = try NetlinkSocket("open a netlink socket", to: family)
        // Kernels before 4.12 have no extended acknowledgement: their errors come without a message.
        _ = socket.set(SOL_NETLINK, CInt(NETLINK_EXT_ACK), 1)
        _ = socket.set(SOL_NETLINK, CInt(NETLINK_CAP_ACK), 1)
        // With strict checking, the kernel applies the filters of dump requests, such as the device.
        _ = socket.set(SOL_NETLINK, CInt(NETLINK_GET_STRICT_CHK), 1)
    }

    /// The socket's descriptor, which a child process may keep.
    package var descriptor: CInt { socket.descriptor }

    package func exchange(_ request: Request) throws(NetlinkError) -> [[UInt8]] {
        let sequence = nl_socket_use_seq(socket.pointer)
        var bytes = request.bytes
        bytes.withUnsafeMutableBytes { buffer in
            buffer.storeBytes(of: sequence, toByteOffset: 8, as: UInt32.self)
            buffer.storeBytes(of: nl_socket_get_local_port(socket.pointer), toByteOffset: 12, as: UInt32.self)
        }
        try NetlinkSocket.checked(nl_sendto(socket.pointer, &bytes, bytes.count), request.operation)

        var datagrams: [[UInt8]] = []
        while true {
            let datagram = try socket.receive(request.operation).datagram
            guard !datagram.isEmpty else {
                throw NetlinkError(
                    operation: request.operation,
                    code: ECONNRESET,
                    kernelText: "the kernel closed the netlink socket"
                )
            }
            // Skip messages that belong to an earlier request.
            guard datagram[...].load(UInt32.self, at: 8) == sequence else { continue }
            datagrams.append(datagram)
            // An error, an acknowledgement or the end of a dump ends the answer.
            if MessageSequence(datagram).contains(where: { $0.type == NLMSG_ERROR || $0.type == NLMSG_DONE }) {
                return datagrams
            }
        }
    }
}
