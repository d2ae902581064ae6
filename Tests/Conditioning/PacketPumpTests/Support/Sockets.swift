// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestKit

/// A socket of the calling thread's network, on its loopback.
final class LoopbackSocket {
    let descriptor: Int32
    private let isIPv6: Bool

    private init(_ descriptor: Int32, isIPv6: Bool) {
        self.descriptor = descriptor
        self.isIPv6 = isIPv6
    }

    deinit { close(descriptor) }

    static func udp(port: UInt16 = 0, isIPv6: Bool = false, room: Int32 = 1 << 24) throws -> LoopbackSocket {
        let socket = LoopbackSocket(
            Glibc.socket(isIPv6 ? AF_INET6 : AF_INET, Int32(SOCK_DGRAM.rawValue), 0),
            isIPv6: isIPv6
        )
        var size = room
        // SO_RCVBUFFORCE and SO_SNDBUFFORCE.
        setsockopt(socket.descriptor, SOL_SOCKET, 33, &size, 4)
        setsockopt(socket.descriptor, SOL_SOCKET, 32, &size, 4)
        try socket.check(socket.withAddress(port) { bind(socket.descriptor, $0, $1) }, "bind")
        return socket
    }

    func connect(to port: UInt16) throws {
        try check(withAddress(port) { Glibc.connect(descriptor, $0, $1) }, "connect")
    }

    func set(_ level: Int32, _ option: Int32, _ value: Int32) throws {
        var value = value
        try check(setsockopt(descriptor, level, option, &value, 4), "setsockopt")
    }

    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool { Glibc.send(descriptor, bytes, bytes.count, 0) == bytes.count }

    /// The next datagram, or nil if none arrives in the time of a hang.
    func receive(within milliseconds: Int32 = 180_000) -> [UInt8]? {
        var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&polled, 1, milliseconds) == 1 else { return nil }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return count < 0 ? nil : Array(buffer[..<count])
    }

    /// All datagrams that have been written to it: until no more come out of the kernel.
    func receiveAll() -> [[UInt8]] {
        var result: [[UInt8]] = []
        while let datagram = receive(within: 500) { result.append(datagram) }
        return result
    }

    /// Sends `bytes` over a new TCP connection; returns the bytes received at the other end.
    static func transfer(_ bytes: [UInt8], port: UInt16, isIPv6: Bool) throws -> [UInt8] {
        let family = isIPv6 ? AF_INET6 : AF_INET
        let listener = LoopbackSocket(Glibc.socket(family, Int32(SOCK_STREAM.rawValue), 0), isIPv6: isIPv6)
        try listener.check(listener.withAddress(port) { bind(listener.descriptor, $0, $1) }, "bind")
        try listener.check(listen(listener.descriptor, 1), "listen")
        let sender = LoopbackSocket(Glibc.socket(family, Int32(SOCK_STREAM.rawValue), 0), isIPv6: isIPv6)
        try sender.connect(to: port)
        let receiver = LoopbackSocket(accept(listener.descriptor, nil, nil), isIPv6: isIPv6)
        var sent = 0
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        var quiet = 0
        while received.count < bytes.count, quiet < 1800 {
            if sent < bytes.count {
                let count = bytes.withUnsafeBytes {
                    Glibc.send(
                        sender.descriptor,
                        $0.baseAddress.map { $0 + sent },
                        bytes.count - sent,
                        Int32(MSG_DONTWAIT)
                    )
                }
                sent += max(count, 0)
                if sent == bytes.count { shutdown(sender.descriptor, Int32(SHUT_WR)) }
            }
            var polled = pollfd(fd: receiver.descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&polled, 1, 100) == 1 else {
                quiet += 1
                continue
            }
            let count = recv(receiver.descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            quiet = 0
            received += buffer[..<count]
        }
        return received
    }

    private func check(_ result: Int32, _ what: String) throws {
        if result < 0 { throw TestFailure("\(what): errno \(errno)") }
    }

    private func withAddress(_ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        if isIPv6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            address.sin6_addr = in6addr_loopback
            return withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    body($0, socklen_t(MemoryLayout<sockaddr_in6>.size))
                }
            }
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
        }
    }
}
