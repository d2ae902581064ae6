// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls

/// A loopback address; IPv4 sorts before IPv6.
enum LoopbackAddress: Hashable, Sendable, Comparable {
    /// An address of 127.0.0.0/8, by the three bytes after 127.
    case v4(UInt8, UInt8, UInt8)
    /// ::1.
    case v6

    /// 127.0.0.1.
    static let v4 = LoopbackAddress.v4(0, 0, 1)

    /// The address with a port, as a socket address.
    func socketAddress(port: UInt16) -> lc_address {
        var address = lc_address()
        address.port = port
        switch self {
        case .v4(let second, let third, let fourth):
            address.length = 4
            (address.bytes.0, address.bytes.1, address.bytes.2, address.bytes.3) = (127, second, third, fourth)
        case .v6:
            address.length = 16
            address.bytes.15 = 1
        }
        return address
    }
}

extension LoopbackAddress: CustomStringConvertible {
    var description: String {
        switch self {
        case .v4(let second, let third, let fourth): "127.\(second).\(third).\(fourth)"
        case .v6: "::1"
        }
    }
}
