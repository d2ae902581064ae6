// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
import InternetAddresses

/// An ICMP echo request or reply (RFC 792, RFC 4443 section 4) with this module's payload.
struct EchoPacket: Hashable {
    /// The bytes of header and payload together.
    static let size = 24

    /// The identifier that distinguishes senders on this host; for a ping socket, the kernel replaces it.
    var identifier: UInt16
    /// The low bits of `probe`: the only part of it that every ICMP error quotes.
    var sequence: UInt16 { UInt16(truncatingIfNeeded: probe) }
    /// A random number that shows that a reply belongs to this sender.
    var secret: UInt64
    var probe: UInt64

    /// Writes a request, with the checksum for IPv4; for ICMPv6, whose checksum covers the addresses, the kernel
    /// computes it.
    func write(to bytes: UnsafeMutableRawBufferPointer, _ family: IPAddress.Family) {
        bytes[0] = family == .ipv4 ? 8 : 128
        bytes[1] = 0
        bytes.storeBytes(of: 0, toByteOffset: 2, as: UInt16.self)
        bytes.storeBytes(of: identifier.bigEndian, toByteOffset: 4, as: UInt16.self)
        bytes.storeBytes(of: sequence.bigEndian, toByteOffset: 6, as: UInt16.self)
        bytes.storeBytes(of: secret, toByteOffset: 8, as: UInt64.self)
        bytes.storeBytes(of: probe, toByteOffset: 16, as: UInt64.self)
        guard family == .ipv4 else { return }
        var checksum = Checksum()
        if let start = bytes.baseAddress { checksum.add(start, Self.size) }
        bytes.storeBytes(of: checksum.complement.bigEndian, toByteOffset: 2, as: UInt16.self)
    }

    /// Reads a reply; nil for any other packet.
    init?(reply bytes: UnsafeRawBufferPointer, _ family: IPAddress.Family) {
        guard bytes.count >= Self.size, bytes[0] == (family == .ipv4 ? 0 : 129), bytes[1] == 0 else { return nil }
        self.init(payloadOf: bytes)
        guard bytes.loadUnaligned(fromByteOffset: 6, as: UInt16.self).bigEndian == sequence else { return nil }
    }

    /// Reads a request that an ICMP error quotes with its payload; nil if the quotation is shorter, or is another
    /// packet.
    init?(quotedRequest bytes: UnsafeRawBufferPointer, _ family: IPAddress.Family) {
        guard bytes.count >= Self.size, bytes[0] == (family == .ipv4 ? 8 : 128) else { return nil }
        self.init(payloadOf: bytes)
    }

    /// Reads the identifier and sequence of a quoted request of which only the header is needed; nil for another
    /// packet.
    static func quotedHeader(
        _ bytes: UnsafeRawBufferPointer,
        _ family: IPAddress.Family
    ) -> (identifier: UInt16, sequence: UInt16)? {
        guard bytes.count >= 8, bytes[0] == (family == .ipv4 ? 8 : 128) else { return nil }
        return (
            bytes.loadUnaligned(fromByteOffset: 4, as: UInt16.self).bigEndian,
            bytes.loadUnaligned(fromByteOffset: 6, as: UInt16.self).bigEndian
        )
    }

    /// The length of the IPv4 header (RFC 791), which a raw socket passes on before the ICMP packet; nil if there is
    /// none.
    static func headerLength(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard let first = bytes.first, first >> 4 == 4 else { return nil }
        let length = Int(first & 0xF) * 4
        return length >= 20 && length <= bytes.count ? length : nil
    }

    init(identifier: UInt16, secret: UInt64, probe: UInt64) {
        (self.identifier, self.secret, self.probe) = (identifier, secret, probe)
    }

    private init(payloadOf bytes: UnsafeRawBufferPointer) {
        identifier = bytes.loadUnaligned(fromByteOffset: 4, as: UInt16.self).bigEndian
        secret = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        probe = bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
    }
}
