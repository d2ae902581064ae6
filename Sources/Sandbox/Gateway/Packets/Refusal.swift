// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
internal import PacketPump

/// Packets that refuse a client's connection or datagram: RST and ICMP errors.
enum Refusal {
    /// The type and code of an ICMP error, or of an ICMPv6 error for a packet of IPv6.
    struct Message: Equatable {
        var type: UInt8
        var code: UInt8
        /// The MTU of the path, if the packet is too big; otherwise 0.
        var mtu: UInt32 = 0
    }

    /// Writes an RST to `room`, as a host sends it for a port without a listener (RFC 9293, section 3.5.2). `room` must
    /// have 128 bytes. Returns the length with the virtio-net header.
    static func reset(_ packet: TransportPacket, to room: UnsafeMutableRawPointer) -> Int {
        let (source, destination) = packet.ends
        let header = UnsafeRawPointer(packet.bytes) + Int(packet.layout.transport)
        let flags = packet.flags
        let payload = packet.layout.end - Int(packet.layout.payload)
        let length = payload + (flags.contains(.syn) ? 1 : 0) + (flags.contains(.fin) ? 1 : 0)
        let segment = NewPacket.begin(from: destination, to: source, transport: 6, length: 20, to: room)
        segment.setWord(0, destination.port)
        segment.setWord(2, source.port)
        if flags.contains(.ack) {
            segment.setLong(4, header.long(8))
            segment.setByte(13, TCPFlags.rst.rawValue)
        } else {
            segment.setLong(8, header.long(4) &+ UInt32(truncatingIfNeeded: length))
            segment.setByte(13, TCPFlags([.rst, .ack]).rawValue)
        }
        segment.setByte(12, 5 << 4)
        NewPacket.complete(segment, checksumAt: 16, isIPv6: !source.isIPv4, length: 20, transport: 6)
        return VirtioHeader.size + (source.isIPv4 ? 40 : 60)
    }

    /// Writes an ICMP error about a packet (RFC 792, RFC 4443), sent by `router`, to `room`, which must have 1,300
    /// bytes. Returns the length with the virtio-net header.
    static func error(
        _ message: Message,
        about packet: TransportPacket,
        from router: FlowEndpoint,
        to room: UnsafeMutableRawPointer
    ) -> Int {
        let isIPv6 = packet.layout.isIPv6
        // An ICMP error quotes at least 64 bits after the IPv4 header, but has at most 576 bytes in all (RFC 1812); an
        // ICMPv6 error has at most 1,280.
        let quoted = min(packet.layout.end, isIPv6 ? 1280 - 48 : 576 - 28)
        let (source, _) = packet.ends
        let segment = NewPacket.begin(
            from: router,
            to: source,
            transport: isIPv6 ? 58 : 1,
            length: 8 + quoted,
            to: room
        )
        segment.setByte(0, message.type)
        segment.setByte(1, message.code)
        segment.setLong(4, message.mtu)
        (segment + 8).copyMemory(from: packet.bytes, byteCount: quoted)
        NewPacket.complete(segment, checksumAt: 2, isIPv6: isIPv6, length: 8 + quoted, transport: isIPv6 ? 58 : 1)
        return VirtioHeader.size + (isIPv6 ? 40 : 20) + 8 + quoted
    }
}
