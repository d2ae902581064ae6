// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import Glibc

@testable import Sandboxing

/// A socket of the running system, each of whose operations ends, on a machine that does not get to it, too.
final class TestSocket: Sendable {
    /// The errno; ETIMEDOUT after a timeout.
    struct Failure: Error, Hashable {
        let code: CInt
    }

    let descriptor: CInt

    init(_ descriptor: CInt) throws {
        guard descriptor >= 0 else { throw Failure(code: errno) }
        self.descriptor = descriptor
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    deinit { close(descriptor) }

    /// A socket that listens or, for UDP, is bound, on a port that is free.
    static func listening(_ transport: HostPort.Transport, _ address: LoopbackAddress = .v4) throws -> TestSocket {
        try TestSocket(Listener.open(HostPort(port: 0, transport: transport), at: address))
    }

    /// A socket that is connected to a port.
    static func connected(to port: HostPort, at address: LoopbackAddress = .v4) throws -> TestSocket {
        let type = port.transport == .tcp ? SOCK_STREAM : SOCK_DGRAM
        let descriptor = socket(address == .v6 ? AF_INET6 : AF_INET, CInt(type.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var place = address.socketAddress(port: port.port)
        let result = lc_connect(descriptor, &place)
        guard result == 0 else { throw Failure(code: -result) }
        return try TestSocket(descriptor)
    }

    /// The port that it is bound to.
    var port: UInt16 { Self.port(of: descriptor) }

    /// The port that a socket is bound to.
    static func port(of descriptor: CInt) -> UInt16 {
        var address = [UInt8](repeating: 0, count: MemoryLayout<sockaddr_storage>.size)
        var size = socklen_t(address.count)
        address.withUnsafeMutableBytes { bytes in
            _ = getsockname(descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, &size)
        }
        // Both families have it in the bytes after the family, in network order.
        return UInt16(address[2]) << 8 | UInt16(address[3])
    }

    /// The next connection.
    func accepted() throws -> TestSocket {
        try wait(POLLIN)
        return try TestSocket(accept(descriptor, nil, nil))
    }

    /// Waits until it can be read from or written to.
    func wait(_ event: CInt, milliseconds: CInt = 180_000) throws {
        var entry = pollfd(fd: descriptor, events: Int16(event), revents: 0)
        guard poll(&entry, 1, milliseconds) == 1 else { throw Failure(code: ETIMEDOUT) }
    }

    /// Writes what the kernel accepts at once; returns the count, which may be 0.
    func offer(_ bytes: UnsafeRawBufferPointer) throws -> Int {
        let count = Glibc.send(descriptor, bytes.baseAddress, bytes.count, CInt(MSG_NOSIGNAL))
        guard count < 0 else { return count }
        guard errno == EAGAIN else { throw Failure(code: errno) }
        return 0
    }

    /// Writes a little.
    func send(_ text: String) throws {
        var text = text
        _ = try text.withUTF8 { try offer(UnsafeRawBufferPointer($0)) }
    }

    /// The next bytes or datagram; empty at the end.
    func receive(atMost limit: Int = 65536) throws -> [UInt8] {
        try wait(POLLIN)
        var buffer = [UInt8](repeating: 0, count: limit)
        let count = recv(descriptor, &buffer, limit, 0)
        guard count >= 0 else { throw Failure(code: errno) }
        return Array(buffer[..<count])
    }

    /// The next bytes or datagram as text.
    func receivedText() throws -> String {
        String(decoding: try receive(), as: UTF8.self)
    }

    /// Closes the sending side.
    func endOutput() {
        shutdown(descriptor, CInt(SHUT_WR))
    }

    /// Makes closing reset the connection.
    func resetsWhenClosed() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    /// Shrinks the kernel's buffers.
    static func limitBuffers(of descriptor: CInt, to size: CInt) {
        var size = size
        for option in [SO_SNDBUF, SO_RCVBUF] {
            setsockopt(descriptor, SOL_SOCKET, option, &size, socklen_t(MemoryLayout<CInt>.size))
        }
    }
}
