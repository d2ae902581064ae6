// SPDX-License-Identifier: Apache-2.0

internal import CNetlink
import Glibc
package import InternetAddresses

/// A TCP socket with its counters: a line of `ss -ti`, sock_diag(7).
package struct TCPSocketStatus: Hashable, Sendable {
    package var local: IPAddress
    package var localPort: UInt16
    package var remote: IPAddress
    package var remotePort: UInt16
    /// The state, as in include/net/tcp_states.h: 1 for an established connection.
    package var state: UInt8
    /// The socket's inode; 0 if no process holds it any more.
    package var inode: UInt64
    /// The counters of struct tcp_info; nil if the kernel does not give them, as for a connection that is over.
    package var counters: Counters?

    package struct Counters: Hashable, Sendable {
        /// Bytes of payload sent, including those sent again; nil before Linux 4.19.
        package var sent: UInt64?
        /// Bytes of payload that the other end has acknowledged.
        package var acknowledged: UInt64
        /// Bytes of payload received in order.
        package var received: UInt64
        /// Packets sent again since the connection began.
        package var retransmissions: UInt32
        /// Milliseconds since data was last sent or received.
        package var silence: UInt32
    }
}

extension TCPSocketStatus.Counters {
    /// The offsets of struct tcp_info (linux/tcp.h), which glibc declares as well: Swift cannot import both.
    private enum Offset {
        static let (lastSent, lastReceived) = (44, 52)
        static let (retransmissions, acknowledged, received, sent) = (100, 120, 128, 200)
    }

    init?(_ info: ArraySlice<UInt8>) {
        guard let acknowledged = info.load(UInt64.self, at: Offset.acknowledged),
            let received = info.load(UInt64.self, at: Offset.received),
            let retransmissions = info.load(UInt32.self, at: Offset.retransmissions),
            let lastSent = info.load(UInt32.self, at: Offset.lastSent),
            let lastReceived = info.load(UInt32.self, at: Offset.lastReceived)
        else { return nil }
        self.init(
            sent: info.load(UInt64.self, at: Offset.sent),
            // The SYN counts as acknowledged byte.
            acknowledged: acknowledged > 0 ? acknowledged - 1 : 0,
            received: received,
            retransmissions: retransmissions,
            silence: min(lastSent, lastReceived)
        )
    }
}

extension TCPSocketStatus {
    /// LISTEN of include/net/tcp_states.h; such sockets are not listed.
    fileprivate static let listening: UInt32 = 10

    init?(_ reply: Reply) {
        guard reply.type == SOCK_DIAG_BY_FAMILY, let (header, attributes) = reply.body.parse(inet_diag_msg.self),
            let local = Self.address(header.id.idiag_src, header.idiag_family),
            let remote = Self.address(header.id.idiag_dst, header.idiag_family)
        else { return nil }
        (self.local, self.remote) = (local, remote)
        localPort = UInt16(bigEndian: header.id.idiag_sport)
        remotePort = UInt16(bigEndian: header.id.idiag_dport)
        (state, inode) = (header.idiag_state, UInt64(header.idiag_inode))
        counters = attributes[INET_DIAG_INFO].flatMap { Counters($0) }
    }

    /// An IPv4-mapped IPv6 address is returned as the IPv4 address that packets have.
    private static func address(_ words: (UInt32, UInt32, UInt32, UInt32), _ family: UInt8) -> IPAddress? {
        let bytes = withUnsafeBytes(of: words) { Array($0) }
        guard family == UInt8(AF_INET6) else { return IPAddress(bytes: Array(bytes[..<4])) }
        let isMapped = bytes.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF])
        return IPAddress(bytes: isMapped ? Array(bytes[12...]) : bytes)
    }
}

extension RouteConnection {
    /// Connects to the kernel's lists of sockets in the network of the calling thread.
    package static func socketLists() throws(NetlinkError) -> RouteConnection {
        RouteConnection(try RouteSocket(to: NETLINK_SOCK_DIAG))
    }

    /// The TCP sockets of connections, on a connection made by ``socketLists()``.
    package func tcpSockets() throws(NetlinkError) -> [TCPSocketStatus] {
        var sockets: [TCPSocketStatus] = []
        for family in [AF_INET, AF_INET6] {
            let request = Request("list the sockets", type: Int(SOCK_DIAG_BY_FAMILY), flags: NLM_F_DUMP) { message in
                var body = inet_diag_req_v2()
                body.sdiag_family = UInt8(family)
                body.sdiag_protocol = UInt8(IPPROTO_TCP)
                body.idiag_ext = 1 << UInt8(INET_DIAG_INFO - 1)
                body.idiag_states = ~(1 << TCPSocketStatus.listening)
                message.append(body)
            }
            sockets += try replies(to: request).compactMap { TCPSocketStatus($0) }
        }
        return sockets
    }
}
