// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls

/// An IP address with a TCP or UDP port, or with the identifier of an ICMP echo as `port`.
struct FlowEndpoint: Hashable {
    /// The address as a number; an IPv4 address is mapped into IPv6, ::ffff:0:0/96 (RFC 4291, section 2.5.5.2).
    var address: UInt128
    var port: UInt16
    /// The part that no packet carries: the interface of a server's link-local address, or 0; for a client, the index
    /// of the device that its packets come from.
    var scope: UInt32 = 0

    private static let mapped: UInt128 = 0xFFFF

    var isIPv4: Bool { address >> 32 == Self.mapped }

    init(address: UInt128, port: UInt16, scope: UInt32 = 0) {
        (self.address, self.port, self.scope) = (address, port, scope)
    }

    init(ipv4 address: UInt32, port: UInt16) {
        (self.address, self.port) = (Self.mapped << 32 | UInt128(address), port)
    }

    init(ipv6 address: UInt128, port: UInt16) {
        (self.address, self.port) = (address, port)
    }
}

extension FlowEndpoint {
    /// Reads the address at `start`, of 4 or 16 bytes.
    init(_ start: UnsafeRawPointer, isIPv6: Bool, port: UInt16) {
        if isIPv6 {
            self.init(ipv6: start.loadUnaligned(as: UInt128.self).bigEndian, port: port)
        } else {
            self.init(ipv4: start.loadUnaligned(as: UInt32.self).bigEndian, port: port)
        }
    }

    /// Writes the address to `start`, of 4 or 16 bytes.
    func writeAddress(to start: UnsafeMutableRawPointer) {
        if isIPv4 {
            start.storeBytes(of: UInt32(truncatingIfNeeded: address).bigEndian, as: UInt32.self)
        } else {
            start.storeBytes(of: address.bigEndian, as: UInt128.self)
        }
    }

    /// The endpoint for system calls.
    var socketAddress: lc_address {
        var result = lc_address()
        (result.length, result.port, result.scope) = (isIPv4 ? 4 : 16, port, scope)
        withUnsafeMutableBytes(of: &result.bytes) { bytes in
            if let start = bytes.baseAddress { writeAddress(to: start) }
        }
        return result
    }

    init(_ other: lc_address) {
        self = withUnsafeBytes(of: other.bytes) { bytes in
            bytes.baseAddress.map { FlowEndpoint($0, isIPv6: other.length == 16, port: other.port) }
                ?? FlowEndpoint(ipv6: 0, port: other.port)
        }
    }
}

/// Both ends of a connection, as the sandbox sees them.
struct Ends: Hashable {
    var client: FlowEndpoint
    var server: FlowEndpoint
}
