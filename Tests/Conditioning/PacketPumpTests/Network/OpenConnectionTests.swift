// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinkProfiles
import TestKit
import Testing

@testable import PacketPump

/// Real TCP connections that faults end without a packet of theirs.
@Suite(.enabled(if: PrivateNetwork.canPump, "needs root, /dev/net/tun, tc and ip"), .serialized)
struct OpenConnectionTests {
    private func conditions(_ match: String, _ action: String) throws -> PumpConditions {
        let fault = "{\"match\": \(match), \"do\": \"\(action)\"}"
        return PumpConditions(try Profile(utf8: "{\"name\": \"Faulty\", \"faults\": [\(fault)]}".utf8))
    }

    /// What an end sees that does not send: ECONNRESET, 0 for the end of the stream, or nil for nothing.
    private func end(of socket: Int32, within milliseconds: Int32) -> Int32? {
        var polled = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        guard poll(&polled, 1, milliseconds) == 1 else { return nil }
        var byte: UInt8 = 0
        return recv(socket, &byte, 1, 0) < 0 ? errno : 0
    }

    @Test(arguments: [false, true], [("reset", ECONNRESET), ("close", 0), ("half close", 0)])
    func endOnLoopbackWhenTheFaultStarts(isIPv6: Bool, fault: (action: String, seen: Int32)) throws {
        try PrivateNetwork.run {
            let pump = try LoopbackPump()
            let (client, server) = try TCPSocket.connected(port: 6_000, isIPv6: isIPv6)
            #expect(client.exchanges(with: server))
            let (other, otherServer) = try TCPSocket.connected(port: 6_001, isIPv6: isIPv6)
            pump.pump.use(try conditions(#"{"port": 6000}"#, fault.action))
            #expect(end(of: client.descriptor, within: 10_000) == fault.seen)
            #expect(end(of: server.descriptor, within: 10_000) == fault.seen)
            #expect(pump.settled().faults[0] >= 1)
            #expect(other.exchanges(with: otherServer), "what the fault is not about goes on")
        }
    }

    /// It has nothing to say to what has ended.
    @Test func leaveOutWhatHasEnded() throws {
        try PrivateNetwork.run {
            let pump = try LoopbackPump()
            for _ in 0..<3 {
                let (client, server) = try TCPSocket.connected(port: 6_000, isIPv6: false)
                #expect(client.exchanges(with: server))
                withExtendedLifetime((client, server)) {}
            }
            let before = pump.settled()
            pump.pump.use(try conditions(#"{"port": 6000}"#, "reset"))
            #expect(pump.settled().uplink.arrived == before.uplink.arrived && pump.settled().faults[0] == 0)
        }
    }

    @Test func endWhenTheyAreIdle() throws {
        try PrivateNetwork.run {
            let pump = try LoopbackPump(try conditions(#"{"port": 6000, "after": {"idle": "1 s"}}"#, "reset"))
            let (client, server) = try TCPSocket.connected(port: 6_000, isIPv6: false)
            // As long as something is sent, it is not idle.
            for _ in 0..<8 {
                #expect(client.exchanges(with: server))
                usleep(200_000)
            }
            #expect(end(of: client.descriptor, within: 30_000) == ECONNRESET)
            #expect(end(of: server.descriptor, within: 30_000) == ECONNRESET)
            #expect(pump.settled().faults[0] == 1)
        }
    }

    /// The host beyond the device has opened it, or this one.
    @Test(arguments: [false, true]) func endOnADevice(isOpenedBeyond: Bool) throws {
        try PrivateNetwork.run {
            let network = try DevicePump()
            let address = isOpenedBeyond ? "10.9.0.1" : "10.9.0.2"
            let listener =
                isOpenedBeyond
                ? try TCPSocket.listener(port: 6_000) : try network.beyond { try TCPSocket.listener(port: 6_000) }
            let client =
                isOpenedBeyond
                ? try network.beyond { try TCPSocket.client(of: address, port: 6_000) }
                : try TCPSocket.client(of: address, port: 6_000)
            let server = TCPSocket(accept(listener.descriptor, nil, nil))
            #expect(client.exchanges(with: server))
            network.pump.use(try conditions(#"{"port": 6000}"#, "reset"))
            #expect(end(of: client.descriptor, within: 10_000) == ECONNRESET)
            #expect(end(of: server.descriptor, within: 10_000) == ECONNRESET)
        }
    }
}

/// One end of a TCP connection.
private final class TCPSocket {
    let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    private static func socket(isIPv6: Bool = false) -> TCPSocket {
        TCPSocket(Glibc.socket(isIPv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0))
    }

    static func connected(port: UInt16, isIPv6: Bool) throws -> (client: TCPSocket, server: TCPSocket) {
        let listener = try listener(port: port, isIPv6: isIPv6)
        let client = try client(of: isIPv6 ? "::1" : "127.0.0.1", port: port, isIPv6: isIPv6)
        return (client, TCPSocket(accept(listener.descriptor, nil, nil)))
    }

    static func listener(port: UInt16, isIPv6: Bool = false) throws -> TCPSocket {
        let new = socket(isIPv6: isIPv6)
        var yes: Int32 = 1
        setsockopt(new.descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, 4)
        guard withAddress(isIPv6 ? "::" : "0.0.0.0", port, isIPv6, { bind(new.descriptor, $0, $1) }) == 0,
            listen(new.descriptor, 4) == 0
        else { throw TestFailure("listen: \(errno)") }
        return new
    }

    static func client(of host: String, port: UInt16, isIPv6: Bool = false) throws -> TCPSocket {
        let new = socket(isIPv6: isIPv6)
        guard withAddress(host, port, isIPv6, { connect(new.descriptor, $0, $1) }) == 0 else {
            throw TestFailure("connect: \(errno)")
        }
        return new
    }

    private static func withAddress(
        _ host: String,
        _ port: UInt16,
        _ isIPv6: Bool,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var storage = sockaddr_storage()
        return withUnsafeMutableBytes(of: &storage) { bytes in
            guard let start = bytes.baseAddress else { return -1 }
            if isIPv6 {
                let address = start.assumingMemoryBound(to: sockaddr_in6.self)
                (address.pointee.sin6_family, address.pointee.sin6_port) = (sa_family_t(AF_INET6), port.bigEndian)
                inet_pton(AF_INET6, host, &address.pointee.sin6_addr)
            } else {
                let address = start.assumingMemoryBound(to: sockaddr_in.self)
                (address.pointee.sin_family, address.pointee.sin_port) = (sa_family_t(AF_INET), port.bigEndian)
                inet_pton(AF_INET, host, &address.pointee.sin_addr)
            }
            let size = isIPv6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
            return body(start.assumingMemoryBound(to: sockaddr.self), socklen_t(size))
        }
    }

    /// Whether a byte goes there and another back.
    func exchanges(with other: TCPSocket) -> Bool {
        [(self, other), (other, self)].allSatisfy { from, to in
            var byte: UInt8 = 7
            guard Glibc.send(from.descriptor, &byte, 1, Int32(MSG_NOSIGNAL)) == 1 else { return false }
            return recv(to.descriptor, &byte, 1, 0) == 1
        }
    }
}
