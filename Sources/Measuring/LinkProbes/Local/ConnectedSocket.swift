// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinkVerification

/// A failed system call, or another reason why a probe cannot measure.
package struct ProbeError: Error, CustomStringConvertible {
    static let wouldBlock = EAGAIN

    package let description: String
    /// The errno; 0 where no system call failed.
    package let code: Int32

    init(_ call: String, _ code: Int32) {
        (description, self.code) = ("\(call): \(String(cString: strerror(code)))", code)
    }

    package init(_ description: String) { (self.description, code) = (description, 0) }
}

/// A UDP socket that exchanges datagrams with one peer.
final class ConnectedSocket: Sendable {
    let descriptor: Int32

    /// UDP_SEGMENT of linux/udp.h: the kernel splits a longer datagram into several of this size (since Linux 4.18).
    private static let udpSegment: Int32 = 103
    /// SO_SNDBUFFORCE and SO_RCVBUFFORCE of asm/socket.h: buffers beyond the limits of net.core, for CAP_NET_ADMIN.
    private static let (sendBufferForce, receiveBufferForce): (Int32, Int32) = (32, 33)
    /// SO_NO_CHECK of asm/socket.h: sends without a UDP checksum, so that damaged datagrams arrive.
    private static let noChecksum: Int32 = 11
    /// The ECN field ECT(0) of RFC 3168: the packet may be marked.
    private static let capableOfECN: Int32 = 2
    /// The ECN field CE of RFC 3168: the packet was marked.
    static let congestionExperienced: Int32 = 3
    /// The size of the socket's buffers: one second at 1 Gbit/s, with the kernel's overhead.
    private static let buffer: Int32 = 256 << 20

    /// Makes the socket and binds it to `own`; nil leaves the choice to the kernel.
    init(_ phase: ProbePhase, at own: lc_address?) throws(ProbeError) {
        let opened = lc_open_socket(CInt(lc_udp), phase.isIPv6 ? 1 : 0)
        guard opened >= 0 else { throw ProbeError("socket", -opened) }
        descriptor = opened
        // With CAP_NET_ADMIN beyond the limit of net.core, else up to that limit.
        for (force, option) in [(Self.sendBufferForce, SO_SNDBUF), (Self.receiveBufferForce, SO_RCVBUF)] {
            do throws(ProbeError) { try set(SOL_SOCKET, force, Self.buffer) } catch {
                try set(SOL_SOCKET, option, Self.buffer)
            }
        }
        try set(SOL_SOCKET, SO_TIMESTAMPNS, 1)
        if phase.showsDamage, !phase.isIPv6 { try set(SOL_SOCKET, Self.noChecksum, 1) }
        if phase.isECNCapable, !phase.isIPv6 {
            try set(Int32(IPPROTO_IP), IP_TOS, Self.capableOfECN)
            try set(Int32(IPPROTO_IP), IP_RECVTOS, 1)
        }
        if var own { try Self.check("bind to port \(own.port)", lc_bind(descriptor, &own)) }
    }

    deinit { close(descriptor) }

    func connect(to other: lc_address) throws(ProbeError) {
        var other = other
        try Self.check("connect", lc_connect(descriptor, &other))
    }

    func ownAddress() throws(ProbeError) -> lc_address {
        var address = lc_address()
        try Self.check("getsockname", lc_local_address(descriptor, &address))
        return address
    }

    /// Receives the next datagram and returns its sender; nil if none waits.
    func nextSender() -> lc_address? {
        var datagram = lc_datagram()
        return lc_receive_datagrams(descriptor, &datagram, 1) == 1 ? datagram.address : nil
    }

    /// Makes the kernel split longer datagrams into several of `bytes`.
    func split(into bytes: Int) throws(ProbeError) {
        try set(Int32(IPPROTO_UDP), Self.udpSegment, Int32(bytes))
    }

    func send(_ bytes: ArraySlice<UInt8>) throws(ProbeError) {
        let count = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, 0) }
        // A packet for which the kernel has no room counts as lost. ECONNREFUSED reports an earlier packet, not this
        // one.
        guard count < 0, ![EAGAIN, ENOBUFS, ECONNREFUSED].contains(errno) else { return }
        throw ProbeError("send", errno)
    }

    private func set(_ level: Int32, _ option: Int32, _ value: Int32) throws(ProbeError) {
        var value = value
        guard setsockopt(descriptor, level, option, &value, 4) < 0 else { return }
        throw ProbeError("setsockopt \(option)", errno)
    }

    private static func check(_ call: String, _ result: Int32) throws(ProbeError) {
        guard result < 0 else { return }
        throw ProbeError(call, -result)
    }
}
