// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A system call that failed.
struct ProbeError: Error, CustomStringConvertible {
    static let wouldBlock = EAGAIN

    let description: String

    init(_ call: String, _ code: Int32) {
        description = "\(call): \(String(cString: strerror(code)))"
    }
}

/// A UDP socket of 127.0.0.1 that is connected to another.
struct ProbeSocket {
    let descriptor: Int32

    /// Of linux/udp.h: a datagram becomes several of so many bytes each (since Linux 4.18).
    private static let udpSegment: Int32 = 103
    /// Of asm/socket.h: sizes beyond what everybody may ask for.
    private static let (sendBufferForce, receiveBufferForce): (Int32, Int32) = (32, 33)
    /// What a second of 1 Gbit/s takes, with the kernel's own share of it.
    private static let buffer: Int32 = 256 << 20

    /// A client and the server that answers on `port`.
    static func pair(port: UInt16) throws(ProbeError) -> (client: ProbeSocket, server: ProbeSocket) {
        let (client, server) = (try ProbeSocket(port: 0), try ProbeSocket(port: port))
        try client.connect(port: port)
        try server.connect(port: try client.port())
        return (client, server)
    }

    private init(port: UInt16) throws(ProbeError) {
        descriptor = try Self.check("socket", socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0))
        for option in [Self.sendBufferForce, Self.receiveBufferForce] { try set(SOL_SOCKET, option, Self.buffer) }
        try set(SOL_SOCKET, SO_TIMESTAMPNS, 1)
        try withLoopback(port: port) { bind(descriptor, $0, $1) }
    }

    private func connect(port: UInt16) throws(ProbeError) {
        try withLoopback(port: port) { Glibc.connect(descriptor, $0, $1) }
    }

    private func withLoopback(
        port: UInt16,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws(ProbeError) {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try Self.check("bind or connect", result)
    }

    private func port() throws(ProbeError) -> UInt16 {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        try Self.check("getsockname", result)
        return UInt16(bigEndian: address.sin_port)
    }

    /// Has longer datagrams leave as several of `bytes`.
    func split(into bytes: Int) throws(ProbeError) {
        try set(Int32(IPPROTO_UDP), Self.udpSegment, Int32(bytes))
    }

    func send(_ bytes: ArraySlice<UInt8>) throws(ProbeError) {
        let count = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, 0) }
        try Self.check("send", Int32(count))
    }

    private func set(_ level: Int32, _ option: Int32, _ value: Int32) throws(ProbeError) {
        var value = value
        try Self.check("setsockopt \(option)", setsockopt(descriptor, level, option, &value, 4))
    }

    @discardableResult
    private static func check(_ call: String, _ result: Int32) throws(ProbeError) -> Int32 {
        guard result >= 0 else { throw ProbeError(call, errno) }
        return result
    }
}
