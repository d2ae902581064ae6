// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// An address that a host gives to itself alone; IPv4's come before IPv6's.
enum LoopbackAddress: Hashable, Sendable, Comparable {
    /// One of 127.0.0.0/8, by the three bytes behind 127.
    case v4(UInt8, UInt8, UInt8)
    /// ::1.
    case v6

    /// 127.0.0.1.
    static let v4 = LoopbackAddress.v4(0, 0, 1)

    /// The address with a port, in the system's form.
    func socketAddress(port: UInt16) throws(SandboxError) -> SocketAddress {
        do {
            return try SocketAddress(ipAddress: description, port: Int(port))
        } catch {
            throw SandboxError("\(self) is no address: \(error)")
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
