// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
internal import InternetAddresses

/// Builds IP packets, with their checksums.
enum PacketBuilder {
    private static let hopLimit: UInt8 = 64
    /// An IP packet from `source` to `destination`; `checksum` is the offset of the transport checksum in `body`.
    ///
    /// - Parameter hasPseudoHeader: whether the transport checksum covers the pseudo-header.
    static func packet(
        from source: IPAddress,
        to destination: IPAddress,
        transport: UInt8,
        _ body: [UInt8],
        checksum offset: Int,
        hasPseudoHeader: Bool = true
    ) -> [UInt8] {
        let header = header(source, destination, transport, body.count)
        var packet = header + body
        let isIPv6 = source.family == .ipv6
        packet.withUnsafeMutableBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            if !isIPv6 { bytes.set(sum(start, 20), at: 10) }
            var checksum = Checksum()
            if hasPseudoHeader {
                let addresses = start + (isIPv6 ? 8 : 12)
                let sum = Checksum.pseudoHeader(addresses, isIPv6 ? 32 : 8, transport: transport, length: body.count)
                checksum.add(sum)
            }
            checksum.add(start + header.count, body.count)
            // In UDP, zero means no checksum.
            let value = checksum.complement
            bytes.set(value == 0 && transport == 17 ? 0xFFFF : value, at: header.count + offset)
        }
        return packet
    }

    private static func header(_ source: IPAddress, _ destination: IPAddress, _ transport: UInt8, _ length: Int)
        -> [UInt8]
    {
        if source.family == .ipv6 {
            return [0x60, 0, 0, 0] + UInt16(truncatingIfNeeded: length).bytes + [transport, hopLimit] + source.bytes
                + destination.bytes
        }
        // Identification 0 with DF, as Linux does (RFC 6864).
        return [0x45, 0] + UInt16(truncatingIfNeeded: 20 + length).bytes + [0, 0, 0x40, 0, hopLimit, transport, 0, 0]
            + source.bytes + destination.bytes
    }

    private static func sum(_ start: UnsafeRawPointer, _ count: Int) -> UInt16 {
        var checksum = Checksum()
        checksum.add(start, count)
        return checksum.complement
    }

    /// A segment of TCP (RFC 9293).
    static func segment(
        from source: FaultEnd,
        to destination: FaultEnd,
        _ sequence: TCPSequence,
        acknowledging acknowledgment: TCPSequence?,
        _ flags: TCPHeader.Flags,
        window: UInt16 = 0,
        options: [UInt8] = [],
        _ data: [UInt8] = []
    ) -> [UInt8] {
        let flags = acknowledgment == nil ? flags : flags.union(.acknowledgment)
        let length = UInt8((20 + options.count) / 4) << 4
        let header =
            source.port.bytes + destination.port.bytes + sequence.number.bytes
            + (acknowledgment ?? 0).number.bytes
            + [length, flags.rawValue] + window.bytes + [0, 0, 0, 0] + options
        return packet(from: source.address, to: destination.address, transport: 6, header + data, checksum: 16)
    }

    /// A datagram of UDP.
    static func datagram(from source: FaultEnd, to destination: FaultEnd, _ data: [UInt8]) -> [UInt8] {
        let header =
            source.port.bytes + destination.port.bytes + UInt16(truncatingIfNeeded: 8 + data.count).bytes + [0, 0]
        return packet(from: source.address, to: destination.address, transport: 17, header + data, checksum: 6)
    }

    /// The bytes of a TCP or UDP packet with a complete checksum: a local sender may leave it to the device (offload).
    static func completed(_ packet: FaultedPacket) -> [UInt8] {
        var bytes = packet.bytes
        let isTCP = packet.tcp != nil
        let start = packet.payload.lowerBound - (packet.tcp?.headerLength ?? 8)
        let isIPv6 = packet.ip.source.family == .ipv6
        bytes.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress, packet.ports != nil, start > 0 else { return }
            let (field, length) = (start + (isTCP ? 16 : 6), packet.payload.upperBound - start)
            bytes.set(0, at: field)
            var checksum = Checksum()
            let addresses = base + (isIPv6 ? 8 : 12)
            let transport = packet.ip.transportProtocol
            checksum.add(Checksum.pseudoHeader(addresses, isIPv6 ? 32 : 8, transport: transport, length: length))
            checksum.add(base + start, length)
            let value = checksum.complement
            bytes.set(value == 0 && !isTCP ? 0xFFFF : value, at: field)
        }
        return bytes
    }

    /// An ICMP error about `packet`, from its destination to its source (RFC 792; RFC 1812, section 4.3.2.3; RFC 4443).
    ///
    /// - Parameter limit: the MTU to report in "packet too big"; otherwise 0.
    static func error(_ type: UInt8, _ code: UInt8, about packet: FaultedPacket, limit: Int = 0) -> [UInt8] {
        let isIPv6 = packet.ip.source.family == .ipv6
        // The part of the packet that fits into 576 bytes, or into the least MTU of IPv6.
        let quoted = packet.bytes.prefix(isIPv6 ? 1280 - 48 : 576 - 28)
        let rest = isIPv6 ? UInt32(limit).bytes : [0, 0] + UInt16(truncatingIfNeeded: limit).bytes
        return self.packet(
            from: packet.ip.destination,
            to: packet.ip.source,
            transport: isIPv6 ? 58 : 1,
            [type, code, 0, 0] + rest + quoted,
            checksum: 2,
            hasPseudoHeader: isIPv6
        )
    }
}

extension FixedWidthInteger {
    /// The bytes in network order.
    var bytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}

extension UnsafeMutableRawBufferPointer {
    fileprivate func set(_ value: UInt16, at offset: Int) {
        storeBytes(of: value.bigEndian, toByteOffset: offset, as: UInt16.self)
    }
}
