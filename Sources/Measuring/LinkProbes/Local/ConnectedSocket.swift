// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc
internal import LinkVerification

/// A system call that failed.
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

/// A UDP socket that is connected to another.
final class ConnectedSocket: Sendable {
    let descriptor: Int32

    /// UDP_SEGMENT of linux/udp.h: a datagram becomes several of this size (since Linux 4.18).
    private static let udpSegment: Int32 = 103
    /// SO_SNDBUFFORCE and SO_RCVBUFFORCE of asm/socket.h: sizes beyond every user's limit.
    private static let (sendBufferForce, receiveBufferForce): (Int32, Int32) = (32, 33)
    /// SO_NO_CHECK of asm/socket.h: datagrams without a checksum, which arrive even if they are damaged.
    private static let noChecksum: Int32 = 11
    /// ECT(0) of RFC 3168.
    private static let capableOfECN: Int32 = 2
    /// CE of RFC 3168.
    static let congestionExperienced: Int32 = 3
    /// The bytes of a second at 1 Gbit/s, with the kernel's own overhead.
    private static let buffer: Int32 = 256 << 20

    /// Makes the socket with an address of its own; nil for any.
    init(_ phase: ProbePhase, at own: lc_address?) throws(ProbeError) {
        let opened = lc_open_socket(CInt(lc_udp), phase.isIPv6 ? 1 : 0)
        guard opened >= 0 else { throw ProbeError("socket", -opened) }
        descriptor = opened
        // Beyond the limit for those who may, up to it for others.
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

    /// The sender of the next datagram; nil if there is none.
    func nextSender() -> lc_address? {
        var datagram = lc_datagram()
        return lc_receive_datagrams(descriptor, &datagram, 1) == 1 ? datagram.address : nil
    }

    /// Has longer datagrams leave as several of `bytes`.
    func split(into bytes: Int) throws(ProbeError) {
        try set(Int32(IPPROTO_UDP), Self.udpSegment, Int32(bytes))
    }

    func send(_ bytes: ArraySlice<UInt8>) throws(ProbeError) {
        let count = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, 0) }
        // Packets for which the kernel has no room are lost, and counted as such; the error of an earlier one is none
        // of this one's.
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
