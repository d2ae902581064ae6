// SPDX-License-Identifier: Apache-2.0

import Glibc
import LinuxSystem
import Testing

/// Two connected unix sockets: one for a loop, and the other end for a test. A test that waits ends, too.
final class SocketPair: Sendable {
    /// For a connection of the loop, which owns it.
    let served: CInt
    /// The test's, with a limit of a minute for each call.
    let client: CInt

    init() throws {
        (served, client) = try Descriptors.socketPair(SOCK_STREAM)
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(client, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    deinit { close(client) }

    func send(_ text: String) throws { try send(Array(text.utf8)) }

    /// Sends all of it.
    func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(client, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
            try #require(count > 0, "errno \(errno)")
            rest = rest.dropFirst(count)
        }
    }

    func endOutput() { shutdown(client, CInt(SHUT_WR)) }

    /// Receives something; empty at the end.
    func receive(atMost limit: Int = 65_536) throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: limit)
        let count = recv(client, &buffer, limit, 0)
        // Of a connection with unread bytes, the end is a reset.
        guard count >= 0 || errno != ECONNRESET else { return [] }
        try #require(count >= 0, "errno \(errno)")
        return Array(buffer[..<count])
    }

    func receiveToEnd() throws -> [UInt8] {
        var all: [UInt8] = []
        while case let some = try receive(), !some.isEmpty { all += some }
        return all
    }

    /// Receives until that many bytes are there, or the end.
    func receive(_ count: Int) throws -> [UInt8] {
        var all: [UInt8] = []
        while all.count < count, case let some = try receive(atMost: count - all.count), !some.isEmpty { all += some }
        return all
    }
}
