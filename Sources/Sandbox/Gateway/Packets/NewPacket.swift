// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
internal import PacketPump

/// Makes new packets: `begin` writes the headers, the caller writes the payload, and `complete` writes the checksum.
enum NewPacket {
    /// Writes the virtio-net and IP headers, and zeros for the transport header; returns the start of the transport
    /// header.
    static func begin(
        from source: FlowEndpoint,
        to destination: FlowEndpoint,
        transport: UInt8,
        length: Int,
        to room: UnsafeMutableRawPointer
    ) -> UnsafeMutableRawPointer {
        let header = room + VirtioHeader.size
        room.initializeMemory(as: UInt8.self, repeating: 0, count: VirtioHeader.size + 40 + 20)
        if source.isIPv4 {
            header.setByte(0, 0x45)
            header.setWord(2, UInt16(truncatingIfNeeded: 20 + length))
            // Don't fragment, and 64 hops.
            header.setWord(6, 0x4000)
            header.setByte(8, 64)
            header.setByte(9, transport)
            source.writeAddress(to: header + 12)
            destination.writeAddress(to: header + 16)
            var sum = Checksum()
            sum.add(header, 20)
            header.setWord(10, sum.complement)
            return header + 20
        }
        header.setByte(0, 0x60)
        header.setWord(4, UInt16(truncatingIfNeeded: length))
        header.setByte(6, transport)
        header.setByte(7, 64)
        source.writeAddress(to: header + 8)
        destination.writeAddress(to: header + 24)
        return header + 40
    }

    /// Completes the transport's checksum.
    static func complete(
        _ segment: UnsafeMutableRawPointer,
        checksumAt field: Int,
        isIPv6: Bool,
        length: Int,
        transport: UInt8
    ) {
        segment.setWord(field, 0)
        let addresses = UnsafeRawPointer(segment) - (isIPv6 ? 32 : 8)
        // ICMP of IPv4 has no pseudo-header.
        if transport != 1 {
            segment.setWord(
                field,
                Checksum.pseudoHeader(addresses, isIPv6 ? 32 : 8, transport: transport, length: length)
            )
        }
        var sum = Checksum()
        sum.add(segment, length)
        let value = sum.complement
        segment.setWord(field, transport == 17 && value == 0 ? 0xFFFF : value)
    }
}
