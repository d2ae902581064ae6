// SPDX-License-Identifier: Apache-2.0

/// Reads the older format of captures, pcap-savefile(5), which tcpdump(8) writes.
struct PcapReader {
    private let isBigEndian: Bool
    private let nanoseconds: Int64
    let interface: CapturedInterface

    /// The length of the file's header in bytes.
    static let headerLength = 24
    private static let packetHeaderLength = 16

    /// The magic numbers of files with timestamps in microseconds and in nanoseconds.
    private static let magics: [UInt32] = [0xA1B2_C3D4, 0xA1B2_3C4D]

    /// Whether the number is a magic number in either byte order.
    static func isMagic(_ number: UInt32) -> Bool { magics.contains(number) || magics.contains(number.byteSwapped) }

    /// Reads the header of the file; nil if the format is not pcap or the header is not complete.
    init?(_ bytes: ArraySlice<UInt8>) {
        for order in [false, true] {
            var cursor = ByteCursor(bytes, isBigEndian: order)
            guard let magic = cursor.long(), Self.magics.contains(magic) else { continue }
            // Version, time zone and accuracy are the same in all files.
            guard cursor.stamp() != nil, cursor.long() != nil,
                let snapLength = cursor.long(), let type = cursor.long()
            else { return nil }
            isBigEndian = order
            nanoseconds = magic == 0xA1B2_3C4D ? 1 : 1000
            // The upper 16 bits hold the length of a frame check sequence.
            let linkType = CapturedInterface.LinkType(rawValue: UInt16(truncatingIfNeeded: type))
            interface = CapturedInterface("", linkType, snapLength: snapLength)
            return
        }
        return nil
    }

    /// Reads the packet at the start of `bytes`; nil if the packet is not complete.
    func next(
        _ bytes: ArraySlice<UInt8>,
        offset: Int
    ) throws(MalformedCapture) -> CaptureReader.Block? {
        var cursor = ByteCursor(bytes, isBigEndian: isBigEndian)
        guard let seconds = cursor.long(), let fraction = cursor.long(),
            let kept = cursor.long(), let length = cursor.long()
        else { return nil }
        let longest = max(kept, length)
        guard longest <= PcapngReader.longestBlock else {
            throw MalformedCapture(offset: offset + 8, problem: "a packet of \(longest) bytes")
        }
        guard cursor.rest.count >= kept else { return nil }
        if let refusal = interface.linkType.refusal { throw MalformedCapture(offset: offset, problem: refusal) }
        let time = Int64(seconds) * 1_000_000_000 + Int64(fraction) * nanoseconds
        var packet = CapturedPacket(time: time, bytes: Array(cursor.rest.prefix(Int(kept))))
        packet.length = Int(longest)
        packet.direction = LinkHeader.direction(of: packet.bytes[...], interface.linkType)
        return CaptureReader.Block(length: Self.packetHeaderLength + Int(kept), packet: packet)
    }
}
