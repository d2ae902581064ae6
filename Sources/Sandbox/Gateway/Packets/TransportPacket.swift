// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
internal import PacketPump

/// A packet of TCP, UDP or ICMP in memory, after its virtio-net header.
struct TransportPacket {
    /// The virtio-net header.
    let start: UnsafeMutableRawPointer
    let layout: FrameLayout

    /// The packet's first byte.
    var bytes: UnsafeMutableRawPointer { start + VirtioHeader.size }
    /// The packet's length in bytes, with the virtio-net header.
    var count: Int { VirtioHeader.size + layout.end }

    /// - Parameter count: bytes with the virtio-net header.
    /// - Returns: nil unless the bytes are a whole IP packet; nil, too, for an IPv6 packet with an IPv4-mapped address,
    ///   which no network carries (RFC 4291, section 2.5.5.2).
    init?(_ start: UnsafeMutableRawPointer, count: Int) {
        guard count > VirtioHeader.size else { return nil }
        self.start = start
        layout = FrameLayout(
            packet: UnsafeRawBufferPointer(start: start + VirtioHeader.size, count: count - VirtioHeader.size)
        )
        guard layout.kind != .opaque else { return nil }
        let (source, destination) = ends
        guard source.isIPv4 != layout.isIPv6, destination.isIPv4 != layout.isIPv6 else { return nil }
    }

    /// The ends, with the sender first.
    var ends: (source: FlowEndpoint, destination: FlowEndpoint) {
        let addresses = bytes + layout.addresses
        return (
            FlowEndpoint(addresses, isIPv6: layout.isIPv6, port: layout.sourcePort),
            FlowEndpoint(addresses + layout.addressLength, isIPv6: layout.isIPv6, port: layout.destinationPort)
        )
    }

    /// The ends of a client's packet that has come from the device with this index.
    func ends(from device: UInt32) -> Ends {
        var (client, server) = ends
        client.scope = device
        return Ends(client: client, server: server)
    }

    /// The flags of TCP.
    var flags: TCPFlags { TCPFlags(rawValue: UnsafeRawPointer(bytes).byte(Int(layout.transport) + 13)) }

    /// Replaces addresses and ports by those of the same address family, and updates the checksums, whether complete or
    /// partial.
    func replaceEnds(source: FlowEndpoint, destination: FlowEndpoint) {
        let (place, length) = (bytes + layout.addresses, layout.addressLength)
        withUnsafeTemporaryAllocation(byteCount: 64, alignment: 16) { room in
            guard let old = room.baseAddress else { return }
            let new = old + 32
            old.copyMemory(from: place, byteCount: 2 * length)
            source.writeAddress(to: new)
            destination.writeAddress(to: new + length)
            if !layout.isIPv6 {
                var sum = UnsafeRawPointer(bytes).word(10)
                for offset in stride(from: 0, to: 8, by: 2) {
                    sum = Checksum.updated(sum, UnsafeRawPointer(old).word(offset), UnsafeRawPointer(new).word(offset))
                }
                bytes.setWord(10, sum)
            }
            let transport = bytes + Int(layout.transport)
            let translated = TranslatedTransport(
                at: transport,
                in: start,
                offset: Int(layout.transport),
                layout.kind
            )
            translated.replaceAddresses(old, 2 * length, by: new, 2 * length)
            place.copyMemory(from: new, byteCount: 2 * length)
            translated.replaceWord(transport, by: source.port)
            translated.replaceWord(transport + 2, by: destination.port)
        }
    }
}

/// Flags of TCP (RFC 9293, section 3.1).
struct TCPFlags: OptionSet {
    let rawValue: UInt8

    static let fin = TCPFlags(rawValue: 1)
    static let syn = TCPFlags(rawValue: 2)
    static let rst = TCPFlags(rawValue: 4)
    static let ack = TCPFlags(rawValue: 16)
}
