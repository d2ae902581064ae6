// SPDX-License-Identifier: Apache-2.0

internal import CapturedPackets
internal import PacketPump

/// Fragments a packet that the gateway has made, if it exceeds the link's MTU (RFC 791, RFC 8200).
enum Fragmentation {
    /// Calls `body` with each fragment and its length, virtio-net header included; with the packet itself if it fits
    /// the MTU.
    ///
    /// - Parameters:
    ///   - count: the packet's bytes with its virtio-net header. The packet's IP header must have no options.
    ///   - room: memory for one fragment.
    static func forEachPiece(
        _ packet: UnsafeMutableRawPointer,
        count: Int,
        mtu: Int,
        identification: UInt32,
        room: UnsafeMutableRawPointer,
        _ body: (UnsafeMutableRawPointer, Int) -> Void
    ) {
        let total = count - VirtioHeader.size
        guard total > mtu else { return body(packet, count) }
        let (source, piece) = (packet + VirtioHeader.size, room + VirtioHeader.size)
        let isIPv6 = UnsafeRawPointer(source).byte(0) >> 4 == 6
        let header = isIPv6 ? 40 : 20
        let lead = isIPv6 ? 48 : 20
        let maximum = (mtu - lead) & ~7
        precondition(maximum > 0 && total > header, "no packet can be cut so")
        room.initializeMemory(as: UInt8.self, repeating: 0, count: VirtioHeader.size)
        piece.copyMemory(from: source, byteCount: header)
        if isIPv6 {
            piece.setByte(6, 44)
            piece.setByte(40, UnsafeRawPointer(source).byte(6))
            piece.setByte(41, 0)
            piece.setLong(44, identification)
        } else {
            piece.setWord(4, UInt16(truncatingIfNeeded: identification))
        }
        for offset in stride(from: 0, to: total - header, by: maximum) {
            let length = min(maximum, total - header - offset)
            let isLast = offset + length == total - header
            (piece + lead).copyMemory(from: source + header + offset, byteCount: length)
            if isIPv6 {
                piece.setWord(4, UInt16(length + 8))
                piece.setWord(42, UInt16(offset) | (isLast ? 0 : 1))
            } else {
                piece.setWord(2, UInt16(lead + length))
                piece.setWord(6, UInt16(offset / 8) | (isLast ? 0 : 0x2000))
                piece.setWord(10, 0)
                var sum = Checksum()
                sum.add(piece, header)
                piece.setWord(10, sum.complement)
            }
            body(room, VirtioHeader.size + lead + length)
        }
    }
}
