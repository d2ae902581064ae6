// SPDX-License-Identifier: Apache-2.0

/// The numbers of the pcapng format, draft-ietf-opsawg-pcapng.
enum PcapngBlock {
    /// Section 4.1: the number is the same in either byte order.
    static let sectionHeader: UInt32 = 0x0A0D_0D0A
    static let interfaceDescription: UInt32 = 1
    static let simplePacket: UInt32 = 3
    static let nameResolution: UInt32 = 4
    static let interfaceStatistics: UInt32 = 5
    static let enhancedPacket: UInt32 = 6
    static let decryptionSecrets: UInt32 = 10

    /// In a section header: shows the section's byte order.
    static let byteOrderMagic: UInt32 = 0x1A2B_3C4D
    /// "TLSK": a key log in the format of the file that `SSLKEYLOGFILE` names.
    static let tlsKeyLog: UInt32 = 0x544C_534B
    /// The bytes of a block besides its body: the type and two copies of the length.
    static let overhead = 12

    /// Option codes; a code above 1 has a different meaning in each kind of block.
    enum Option {
        static let end: UInt16 = 0
        static let comment: UInt16 = 1
        static let system: UInt16 = 3
        static let application: UInt16 = 4
        static let interfaceName: UInt16 = 2
        static let interfaceDescription: UInt16 = 3
        static let interfaceSpeed: UInt16 = 8
        static let timeResolution: UInt16 = 9
        static let interfaceFilter: UInt16 = 11
        static let timeOffset: UInt16 = 14
        static let packetFlags: UInt16 = 2
        static let packetDrops: UInt16 = 4
        static let startTime: UInt16 = 2
        static let endTime: UInt16 = 3
        static let received: UInt16 = 4
        static let dropped: UInt16 = 5
        static let accepted: UInt16 = 6
        static let systemDropped: UInt16 = 7
        static let delivered: UInt16 = 8
    }

    /// Kinds of names in a name resolution block.
    enum Name {
        static let end: UInt16 = 0
        static let ipv4: UInt16 = 1
        static let ipv6: UInt16 = 2
    }
}

extension ByteCursor {
    /// Reads a timestamp of two 32-bit halves, the upper one first.
    mutating func stamp() -> UInt64? {
        guard let high = long(), let low = long() else { return nil }
        return UInt64(high) << 32 | UInt64(low)
    }

    /// Reads `count` bytes, and skips the padding to a multiple of four bytes.
    mutating func padded(_ count: Int) -> ArraySlice<UInt8>? {
        defer { index = min(index + -count & 3, bytes.endIndex) }
        return bytes(count)
    }

    /// Reads the next option of a block; nil at the end of the options.
    mutating func option() -> (code: UInt16, value: ByteCursor)? {
        guard let code = word(), code != PcapngBlock.Option.end, let length = word(), let value = padded(Int(length))
        else { return nil }
        return (code, ByteCursor(value, isBigEndian: isBigEndian))
    }

    var text: String { String(decoding: rest, as: UTF8.self) }
}
