// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc

/// A UDP socket that receives whole datagrams, each with the kernel's time of arrival.
final class DatagramSocket {
    let descriptor: Int32
    private var bytes = [UInt8](repeating: 0, count: 2_048)
    private static let buffer: Int32 = 8 << 20
    /// Errors after which a datagram counts as lost; 0 is success.
    private static let lost = [0, EAGAIN, ENOBUFS, ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, EPERM]

    init(isIPv6: Bool) throws(ProbeError) {
        let opened = lc_open_socket(CInt(lc_udp), isIPv6 ? 1 : 0)
        guard opened >= 0 else { throw ProbeError("socket", -opened) }
        descriptor = opened
        for option in [SO_SNDBUF, SO_RCVBUF] {
            var value = Self.buffer
            setsockopt(descriptor, SOL_SOCKET, option, &value, 4)
        }
    }

    deinit { close(descriptor) }

    func bind(_ address: PeerAddress) throws(ProbeError) {
        var address = address.address
        let result = lc_bind(descriptor, &address)
        guard result == 0 else { throw ProbeError("bind to port \(address.port)", -result) }
    }

    func connect(_ address: PeerAddress) throws(ProbeError) {
        var other = address.address
        let result = lc_connect(descriptor, &other)
        guard result == 0 else { throw ProbeError("connect to \(address)", -result) }
    }

    /// Restricts the socket to one interface (SO_BINDTODEVICE of socket(7)). Needs no privilege since Linux 5.7.
    func bind(toDevice name: String) throws(ProbeError) {
        let result = name.withCString {
            setsockopt(descriptor, SOL_SOCKET, SO_BINDTODEVICE, $0, socklen_t(name.utf8.count))
        }
        guard result == 0 else { throw ProbeError("use interface \(name)", errno) }
    }

    /// The path MTU to the connected address, as far as the kernel knows it; nil if it is unknown.
    func pathMTU(isIPv6: Bool) -> Int? {
        var (value, length) = (Int32(0), socklen_t(4))
        let result =
            isIPv6
            ? getsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_MTU, &value, &length)
            : getsockopt(descriptor, Int32(IPPROTO_IP), IP_MTU, &value, &length)
        return result == 0 ? Int(value) : nil
    }

    struct Arrival {
        let bytes: [UInt8]
        let from: PeerAddress
        /// When the kernel received the datagram: the time of day, in nanoseconds.
        let time: Int64
    }

    /// Receives the next datagram without waiting; nil if there is none.
    func receive() throws(ProbeError) -> Arrival? {
        var datagram = lc_datagram()
        while true {
            let result = bytes.withUnsafeMutableBufferPointer {
                lc_receive_whole(descriptor, &datagram, $0.baseAddress, UInt32($0.count))
            }
            // These errors report an earlier datagram.
            if [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH].contains(-result) { continue }
            if result == -EAGAIN { return nil }
            guard result == 0 else { throw ProbeError("recvmsg", -result) }
            let length = min(Int(datagram.length), bytes.count)
            return Arrival(bytes: Array(bytes[..<length]), from: PeerAddress(datagram.address), time: datagram.time)
        }
    }

    /// Sends to `address`, or to the connected address if nil. A datagram for which the kernel has no room is lost.
    func send(_ bytes: [UInt8], to address: PeerAddress? = nil) throws(ProbeError) {
        let code = send(bytes, segment: 0, to: address)
        guard Self.lost.contains(code) else { throw ProbeError("send", code) }
    }

    /// Sends datagrams of equal length in one call (UDP_SEGMENT); one by one if the kernel or the interface does not
    /// support it.
    func send(_ datagrams: [[UInt8]], to address: PeerAddress? = nil) throws(ProbeError) {
        if datagrams.count > 1, let length = datagrams.first?.count {
            let code = send(Array(datagrams.joined()), segment: UInt16(length), to: address)
            if Self.lost.contains(code) { return }
        }
        for datagram in datagrams { try send(datagram, to: address) }
    }

    /// Sends the bytes; returns the errno, or 0 for success.
    private func send(_ bytes: [UInt8], segment: UInt16, to address: PeerAddress?) -> Int32 {
        guard var name = address?.address else {
            return -lc_send_segments(descriptor, nil, bytes, UInt32(bytes.count), segment)
        }
        return -lc_send_segments(descriptor, &name, bytes, UInt32(bytes.count), segment)
    }

    /// Waits until a datagram has arrived or `other` is readable, for at most this many nanoseconds.
    func wait(_ nanoseconds: Int64, or other: CInt = -1) { _ = lc_wait_for(descriptor, other, nanoseconds) }
}
