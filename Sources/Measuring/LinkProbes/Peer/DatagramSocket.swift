// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc

/// A UDP socket whose datagrams are read whole, each with the time at which the kernel got it.
final class DatagramSocket {
    let descriptor: Int32
    private var bytes = [UInt8](repeating: 0, count: 2_048)
    private static let buffer: Int32 = 8 << 20
    /// Errors with which a datagram is not sent, and counts as lost; 0 for one that is sent.
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

    /// Sends and receives on one interface only: socket(7). Needs no privilege since Linux 5.7.
    func bind(toDevice name: String) throws(ProbeError) {
        let result = name.withCString {
            setsockopt(descriptor, SOL_SOCKET, SO_BINDTODEVICE, $0, socklen_t(name.utf8.count))
        }
        guard result == 0 else { throw ProbeError("use interface \(name)", errno) }
    }

    /// The largest IP packet to the address that it is connected to, as far as the kernel knows; nil if it does not.
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
        /// The time of day, in nanoseconds.
        let time: Int64
    }

    /// The next datagram, without waiting; nil for none.
    func receive() throws(ProbeError) -> Arrival? {
        var datagram = lc_datagram()
        while true {
            let result = bytes.withUnsafeMutableBufferPointer {
                lc_receive_whole(descriptor, &datagram, $0.baseAddress, UInt32($0.count))
            }
            // The error of an earlier datagram is none of this one's.
            if [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH].contains(-result) { continue }
            if result == -EAGAIN { return nil }
            guard result == 0 else { throw ProbeError("recvmsg", -result) }
            let length = min(Int(datagram.length), bytes.count)
            return Arrival(bytes: Array(bytes[..<length]), from: PeerAddress(datagram.address), time: datagram.time)
        }
    }

    /// Sends to `address`, or to the one that it is connected to. What the kernel has no room for is lost.
    func send(_ bytes: [UInt8], to address: PeerAddress? = nil) throws(ProbeError) {
        let code = send(bytes, segment: 0, to: address)
        guard Self.lost.contains(code) else { throw ProbeError("send", code) }
    }

    /// Sends datagrams of one length as a super-packet; one by one where the kernel or the interface takes none.
    func send(_ datagrams: [[UInt8]], to address: PeerAddress? = nil) throws(ProbeError) {
        if datagrams.count > 1, let length = datagrams.first?.count {
            let code = send(Array(datagrams.joined()), segment: UInt16(length), to: address)
            if Self.lost.contains(code) { return }
        }
        for datagram in datagrams { try send(datagram, to: address) }
    }

    /// The errno; 0 for none.
    private func send(_ bytes: [UInt8], segment: UInt16, to address: PeerAddress?) -> Int32 {
        guard var name = address?.address else {
            return -lc_send_segments(descriptor, nil, bytes, UInt32(bytes.count), segment)
        }
        return -lc_send_segments(descriptor, &name, bytes, UInt32(bytes.count), segment)
    }

    /// Waits until a datagram has come or `other` can be read, for so many nanoseconds at the most.
    func wait(_ nanoseconds: Int64, or other: CInt = -1) { _ = lc_wait_for(descriptor, other, nanoseconds) }
}
