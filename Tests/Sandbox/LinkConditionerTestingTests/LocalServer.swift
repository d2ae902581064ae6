// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

/// A listening socket on loopback, and how long it takes to connect to it.
struct LocalServer: ~Copyable {
    private let listener: CInt
    private let port: in_port_t

    init() throws {
        let listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var address = Self.address(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listener, pointer, length) == 0 && listen(listener, 16) == 0
                    && getsockname(listener, pointer, &length) == 0
            }
        }
        self.listener = listener
        port = address.sin_port
        try #require(isBound)
    }

    deinit { close(listener) }

    private static func address(_ port: in_port_t) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        address.sin_port = port
        return address
    }

    /// Milliseconds until a connection is accepted.
    borrowing func connectTime() throws -> Int {
        let clock = ContinuousClock()
        let begin = clock.now
        close(try connect())
        return Int((clock.now - begin) / .milliseconds(1))
    }

    /// A connection, which the caller closes.
    borrowing func connect() throws -> CInt {
        let client = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var address = Self.address(port)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(result == 0)
        return client
    }

    /// The shortest of five, and of up to two hundred until one is below `limit`: a busy machine makes others longer.
    borrowing func shortestConnectTime(below limit: Int) throws -> Int {
        var shortest = Int.max
        for number in 0..<200 where number < 5 || shortest >= limit { shortest = min(shortest, try connectTime()) }
        return shortest
    }
}
