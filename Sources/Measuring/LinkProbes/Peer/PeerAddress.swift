// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
import Glibc

/// An IP address and a UDP port.
package struct PeerAddress: Hashable, Sendable, CustomStringConvertible {
    /// The four or sixteen bytes of the address, in network order.
    let bytes: [UInt8]
    /// The interface index of a link-local address; 0 for other addresses.
    private let scope: UInt32
    package let port: UInt16

    /// Makes an address of four or sixteen bytes; nil for other lengths.
    package init?(_ bytes: [UInt8], scope: UInt32, port: UInt16) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        (self.bytes, self.scope, self.port) = (bytes, scope, port)
    }

    init(_ address: lc_address) {
        bytes = withUnsafeBytes(of: address.bytes) { Array($0.prefix(Int(address.length))) }
        (scope, port) = (address.scope, address.port)
    }

    package var isIPv6: Bool { bytes.count == 16 }

    /// The address as the C functions expect it.
    var address: lc_address {
        var address = lc_address()
        withUnsafeMutableBytes(of: &address.bytes) { $0.copyBytes(from: bytes) }
        (address.length, address.scope, address.port) = (UInt8(bytes.count), scope, port)
        return address
    }

    package var description: String {
        // An IPv4-mapped IPv6 address: RFC 4291, section 2.5.5.2.
        let isMapped = isIPv6 && bytes.prefix(12).elementsEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255])
        let family = isIPv6 && !isMapped ? AF_INET6 : AF_INET
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(family, Array(isMapped ? bytes.suffix(4) : bytes[...]), &text, socklen_t(text.count)) != nil
        else { return "?" }
        let words = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return family == AF_INET6 ? "[\(words)]:\(port)" : "\(words):\(port)"
    }
}
