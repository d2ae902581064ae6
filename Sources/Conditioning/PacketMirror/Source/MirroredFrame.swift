// SPDX-License-Identifier: Apache-2.0

/// Makes an Ethernet frame of the bytes that a packet socket received, in place: adds the VLAN tag that the network
/// card removed, and an Ethernet header if the interface has none. A virtio-net header (linux/virtio_net.h) precedes
/// the frame.
struct MirroredFrame {
    /// The bytes of a virtio-net header.
    static let offloadHeader = 10
    /// The bytes that must be free before the received ones.
    static let room = 18

    let bytes: UnsafeRawBufferPointer

    /// - Parameters:
    ///   - buffer: `room` free bytes, then the received ones.
    ///   - count: the number of bytes received, the virtio-net header included.
    ///   - tag: the protocol and the value of a VLAN tag that the network card removed; nil for none.
    ///   - protocol: the EtherType for a packet without an Ethernet header; nil for a packet with one.
    init?(
        _ buffer: UnsafeMutableRawBufferPointer,
        count: Int,
        tag: (type: UInt16, value: UInt16)?,
        protocol: UInt16?
    ) {
        guard count > Self.offloadHeader else { return nil }
        let packet = Self.room + Self.offloadHeader
        let end = Self.room + count
        let added = (`protocol` == nil ? 0 : 14) + (tag == nil ? 0 : 4)
        guard end - packet + (`protocol` == nil ? 0 : 14) >= 14 else { return nil }
        guard added > 0 else {
            bytes = UnsafeRawBufferPointer(rebasing: buffer[Self.room..<end])
            return
        }
        // Read before the virtio-net header is overwritten.
        let offloads = Self.offloads(in: buffer, at: Self.room, movedBy: UInt16(added))
        var start = packet
        if let `protocol` {
            // The addresses are 00:00:00:00:00:00, as on loopback.
            start -= 14
            buffer[start..<(start + 12)].initializeMemory(as: UInt8.self, repeating: 0)
            buffer.storeBytes(of: `protocol`.bigEndian, toByteOffset: start + 12, as: UInt16.self)
        }
        if let tag {
            UnsafeMutableRawBufferPointer(rebasing: buffer[(start - 4)..<(start + 8)])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[start..<(start + 12)]))
            start -= 4
            buffer.storeBytes(of: tag.type.bigEndian, toByteOffset: start + 12, as: UInt16.self)
            buffer.storeBytes(of: tag.value.bigEndian, toByteOffset: start + 14, as: UInt16.self)
        }
        start -= Self.offloadHeader
        for (number, word) in offloads.enumerated() {
            buffer.storeBytes(of: word, toByteOffset: start + 2 * number, as: UInt16.self)
        }
        bytes = UnsafeRawBufferPointer(rebasing: buffer[start..<end])
    }

    /// The five words of the virtio-net header at `offset`, with the offsets in it raised by `added` bytes.
    private static func offloads(
        in buffer: UnsafeMutableRawBufferPointer,
        at offset: Int,
        movedBy added: UInt16
    ) -> [UInt16] {
        var words = (0..<5).map { buffer.loadUnaligned(fromByteOffset: offset + 2 * $0, as: UInt16.self) }
        let (isIncomplete, isSuperPacket) = (buffer[offset] & 1 != 0, buffer[offset + 1] != 0)
        // The words: flags and type; length of the headers; segment size; start of the checksum; the checksum's offset
        // from there.
        if isSuperPacket { words[1] &+= added }
        if isIncomplete { words[3] &+= added }
        return words
    }
}
