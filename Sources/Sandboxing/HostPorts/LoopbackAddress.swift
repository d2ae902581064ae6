// SPDX-License-Identifier: Apache-2.0

import Glibc

/// An address that a host gives to itself alone; IPv4's come before IPv6's.
enum LoopbackAddress: Hashable, Sendable, Comparable {
    /// One of 127.0.0.0/8, by the three bytes behind 127.
    case v4(UInt8, UInt8, UInt8)
    /// ::1.
    case v6

    /// 127.0.0.1.
    static let v4 = LoopbackAddress.v4(0, 0, 1)

    /// Gives `body` the address with a port in the system's form.
    func withSocketAddress<Result>(
        port: UInt16,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        switch self {
        case .v4(let second, let third, let fourth):
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr =
                (127 << 24 | UInt32(second) << 16 | UInt32(third) << 8 | UInt32(fourth)).bigEndian
            return Self.withSocketAddress(address, body)
        case .v6:
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            address.sin6_addr = in6addr_loopback
            return Self.withSocketAddress(address, body)
        }
    }

    private static func withSocketAddress<Address, Result>(
        _ address: Address,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<Address>.size))
            }
        }
    }
}

extension LoopbackAddress: CustomStringConvertible {
    /// The usual notation.
    var description: String {
        switch self {
        case .v4(let second, let third, let fourth): "127.\(second).\(third).\(fourth)"
        case .v6: "::1"
        }
    }
}
