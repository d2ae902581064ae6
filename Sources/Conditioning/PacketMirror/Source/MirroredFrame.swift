// SPDX-License-Identifier: Apache-2.0

/// Makes an Ethernet frame of what a packet socket received, in place: adds the tag that the network card took off, and
/// a header where the interface has none. A virtio-net header precedes it, as linux/virtio_net.h describes it.
struct MirroredFrame {
    /// The bytes of a virtio-net header.
    static let offloadHeader = 10
    /// The bytes that must be free before what was received.
    static let room = 18

    let bytes: UnsafeRawBufferPointer

    /// - Parameters:
    ///   - buffer: `room` free bytes, then what was received.
    ///   - count: the number of bytes received, the virtio-net header included.
    ///   - tag: a tag that is not among them: protocol and value.
    ///   - protocol: the number of the protocol after the Ethernet header, for a packet without one; else nil.
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
        // Before the header is overwritten.
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

    /// The five words of the virtio-net header at `offset`, whose figures are to count from `added` bytes earlier.
    private static func offloads(
        in buffer: UnsafeMutableRawBufferPointer,
        at offset: Int,
        movedBy added: UInt16
    ) -> [UInt16] {
        var words = (0..<5).map { buffer.loadUnaligned(fromByteOffset: offset + 2 * $0, as: UInt16.self) }
        let (isIncomplete, isSuperPacket) = (buffer[offset] & 1 != 0, buffer[offset + 1] != 0)
        // Flags and type, the length of the headers, the size of segments, where the checksum starts, and lies from there.
        if isSuperPacket { words[1] &+= added }
        if isIncomplete { words[3] &+= added }
        return words
    }
}
