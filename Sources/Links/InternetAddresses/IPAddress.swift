// SPDX-License-Identifier: Apache-2.0

import Glibc

/// An IPv4 or IPv6 address.
public struct IPAddress: Hashable, Sendable {
    /// An address family: IPv4 or IPv6.
    public enum Family: String, CaseIterable, Codable, Sendable {
        case ipv4
        case ipv6
    }

    /// The address family.
    public let family: Family
    /// The index of the interface of a link-local address; zero if there is none.
    public let scope: UInt32
    /// The address as a 128-bit number; an IPv4 address is in the lowest 32 bits. A number needs no allocation, as an
    /// array would: a capture has two addresses per packet.
    package let number: (high: UInt64, low: UInt64)

    /// Makes an address of four or sixteen bytes; returns nil for any other number.
    public init?(bytes: [UInt8], scope: UInt32 = 0) { self.init(bytes[...], scope: scope) }

    /// Makes an address of four or sixteen bytes; returns nil for any other number.
    package init?(_ bytes: ArraySlice<UInt8>, scope: UInt32 = 0) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        var (high, low): (UInt64, UInt64) = (0, 0)
        for byte in bytes {
            high = high << 8 | low >> 56
            low = low << 8 | UInt64(byte)
        }
        family = bytes.count == 4 ? .ipv4 : .ipv6
        number = (high, low)
        self.scope = scope
    }

    private init(ipv4 number: UInt32) { (family, self.number, scope) = (.ipv4, (0, UInt64(number)), 0) }

    /// 0.0.0.0
    package static let unspecified = IPAddress(ipv4: 0)

    /// The four or sixteen bytes of the address, in network order.
    public var bytes: [UInt8] { withUnsafeBytes { Array($0) } }

    /// The length of the address in bytes: 4 or 16.
    package var length: Int { family == .ipv4 ? 4 : 16 }

    /// Calls `body` with the bytes of the address in network order, without making an array.
    package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        Swift.withUnsafeBytes(of: (number.high.bigEndian, number.low.bigEndian)) {
            body(UnsafeRawBufferPointer(rebasing: $0.suffix(length)))
        }
    }

    /// Compares the address family, the bytes and the scope.
    public static func == (left: IPAddress, right: IPAddress) -> Bool {
        left.number == right.number && left.family == right.family && left.scope == right.scope
    }

    /// Hashes the properties that `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(number.high)
        hasher.combine(number.low)
        hasher.combine(family)
        hasher.combine(scope)
    }

    /// Parses "192.0.2.1", "2001:db8::1" or "fe80::1%eth0"; returns nil for anything else.
    public init?(_ text: String) {
        // inet_pton(3) would ignore everything after a zero byte.
        guard !text.utf8.contains(0) else { return nil }
        let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &bytes) == 1 {
            self.init(bytes: Array(bytes.prefix(4)))
        } else if inet_pton(AF_INET6, parts[0], &bytes) == 1 {
            let scope = parts.count == 2 ? UInt32(parts[1]) ?? if_nametoindex(parts[1]) : 0
            guard parts.count == 1 || scope != 0 else { return nil }
            self.init(bytes: bytes, scope: scope)
        } else {
            return nil
        }
    }

    /// The IPv4 address in an IPv4-mapped IPv6 address (RFC 4291, section 2.5.5.2); any other address unchanged.
    public var unmapped: IPAddress {
        guard family == .ipv6, number.high == 0, number.low >> 32 == 0xFFFF else { return self }
        return IPAddress(bytes.suffix(4)) ?? self
    }

    /// Whether this is a loopback address: 127.0.0.0/8 or ::1.
    public var isLoopback: Bool {
        family == .ipv4 ? number.low >> 24 == 127 : number == (0, 1)
    }

    /// Whether this is a link-local address: 169.254.0.0/16 or fe80::/10.
    public var isLinkLocal: Bool {
        family == .ipv4 ? number.low >> 16 == 0xA9FE : number.high >> 54 == 0xFE80 >> 6
    }

    /// Whether this is the unspecified address: 0.0.0.0 or ::.
    public var isUnspecified: Bool { number == (0, 0) }
}

extension IPAddress: LosslessStringConvertible {
    /// The address as inet_ntop(3) formats it, followed by "%" and the scope if there is one.
    public var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        inet_ntop(family == .ipv4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count))
        let address = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return scope == 0 ? address : "\(address)%\(scope)"
    }
}

extension IPAddress: Codable {
    /// Decodes the address from a string.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let address = IPAddress(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\"\(text)\" is not an IP address")
        }
        self = address
    }

    /// Encodes the address as a string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
