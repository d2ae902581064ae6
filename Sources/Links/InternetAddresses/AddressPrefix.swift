// SPDX-License-Identifier: Apache-2.0

import Glibc

/// An IPv4 or IPv6 address prefix such as "10.0.0.0/8" or "2001:db8::/32".
public struct AddressPrefix: Hashable, Sendable {
    /// The four or sixteen bytes of the address; the bits after the prefix are zero.
    public let bytes: [UInt8]
    /// The length of the prefix in bits.
    public let length: Int

    /// Reads an address, alone or followed by "/" and a length; nil for other text.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        // inet_pton(3) stops at a zero byte.
        guard (1...2).contains(parts.count), !text.utf8.contains(0) else { return nil }
        var bytes = [UInt8](repeating: 0, count: 16)
        let address = String(parts[0])
        if inet_pton(AF_INET, address, &bytes) == 1 {
            bytes = Array(bytes.prefix(4))
        } else if inet_pton(AF_INET6, address, &bytes) != 1 {
            return nil
        }
        let bits = bytes.count * 8
        let length = parts.count == 1 ? bits : Int(parts[1]) ?? -1
        guard (0...bits).contains(length), parts.count == 1 || String(length) == parts[1] else { return nil }
        for index in bytes.indices {
            let kept = min(max(length - index * 8, 0), 8)
            bytes[index] &= UInt8(truncatingIfNeeded: 0xFF00 >> kept)
        }
        self.bytes = bytes
        self.length = length
    }

    /// Whether this is an IPv4 prefix.
    public var isIPv4: Bool { bytes.count == 4 }

    /// Whether every address of `other` is in this prefix.
    package func contains(_ other: AddressPrefix) -> Bool {
        guard bytes.count == other.bytes.count, length <= other.length else { return false }
        return zip(bytes, other.bytes).enumerated().allSatisfy { index, pair in
            let kept = min(max(length - index * 8, 0), 8)
            return pair.0 == pair.1 & UInt8(truncatingIfNeeded: 0xFF00 >> kept)
        }
    }

    /// The prefix as 32-bit words with their masks, without words whose mask is zero.
    package var words: [(offset: UInt32, value: UInt32, mask: UInt32)] {
        stride(from: 0, to: bytes.count, by: 4).compactMap { start in
            let kept = min(max(length - start * 8, 0), 32)
            guard kept > 0 else { return nil }
            let value = bytes[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            return (UInt32(start), value, UInt32(truncatingIfNeeded: UInt64(0xFFFF_FFFF_0000_0000) >> kept))
        }
    }
}

extension AddressPrefix: CustomStringConvertible {
    /// The address, followed by "/" and the length unless the prefix is a single address.
    public var description: String {
        var text = [CChar](repeating: 0, count: 64)
        inet_ntop(isIPv4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count))
        let address = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return length == bytes.count * 8 ? address : "\(address)/\(length)"
    }
}

extension AddressPrefix {
    /// Whether an address is in this prefix.
    package func contains(_ address: IPAddress) -> Bool {
        guard address.length == bytes.count else { return false }
        return address.withUnsafeBytes { other in
            bytes.indices.allSatisfy { index in
                let kept = min(max(length - index * 8, 0), 8)
                return bytes[index] == other[index] & UInt8(truncatingIfNeeded: 0xFF00 >> kept)
            }
        }
    }
}
