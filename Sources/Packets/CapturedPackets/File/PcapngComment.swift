// SPDX-License-Identifier: Apache-2.0

/// Adds a comment to a packet that is encoded already.
package enum PcapngComment {
    /// The bytes at the end of a block: the end-of-options marker and the second copy of the block's length.
    private static let tail = 8

    /// Adds `text`, of fewer than 65,520 bytes, to the first packet in `blocks`, which must be whole blocks; that
    /// packet must have options already.
    package static func add(_ text: String, to blocks: inout [UInt8]) {
        var start = 0
        while start + 8 <= blocks.count {
            let (type, length) = blocks.withUnsafeBytes {
                (
                    $0.loadUnaligned(fromByteOffset: start, as: UInt32.self),
                    $0.loadUnaligned(fromByteOffset: start + 4, as: UInt32.self)
                )
            }
            guard type == PcapngBlock.enhancedPacket else {
                start += Int(length)
                continue
            }
            let value = Array(text.utf8)
            var option = bytes(PcapngBlock.Option.comment) + bytes(UInt16(value.count)) + value
            option += [UInt8](repeating: 0, count: (4 - value.count % 4) % 4)
            let end = start + Int(length)
            let newLength = bytes(length + UInt32(option.count))
            blocks.replaceSubrange(end - 4..<end, with: newLength)
            blocks.replaceSubrange(start + 4..<start + 8, with: newLength)
            blocks.insert(contentsOf: option, at: end - tail)
            return
        }
    }

    private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: number) { Array($0) } }
}
