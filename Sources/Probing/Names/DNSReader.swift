// SPDX-License-Identifier: Apache-2.0

/// Reads a DNS message from front to back. What a server sends may be anything.
struct DNSReader {
    /// The message ends, or means something impossible, where this was to be read.
    struct Malformation: Error, Hashable {}

    private let bytes: [UInt8]
    private(set) var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func readByte() throws(Malformation) -> UInt8 {
        guard position < bytes.count else { throw Malformation() }
        defer { position += 1 }
        return bytes[position]
    }

    mutating func readUInt16() throws(Malformation) -> UInt16 {
        try UInt16(readByte()) << 8 | UInt16(readByte())
    }

    mutating func readUInt32() throws(Malformation) -> UInt32 {
        try UInt32(readUInt16()) << 16 | UInt32(readUInt16())
    }

    mutating func readBytes(_ count: Int) throws(Malformation) -> [UInt8] {
        guard bytes.count - position >= count else { throw Malformation() }
        defer { position += count }
        return Array(bytes[position..<position + count])
    }

    /// Reads a name, following pointers (RFC 1035 section 4.1.4), each of which must lead further to the front: so no
    /// loop is possible.
    mutating func readName() throws(Malformation) -> [[UInt8]] {
        var labels: [[UInt8]] = []
        var size = 1
        var end: Int?
        var bound = position
        while true {
            let length = try readByte()
            switch length >> 6 {
            case 0 where length == 0:
                if let end { position = end }
                return labels
            case 0:
                size += Int(length) + 1
                guard size <= 255 else { throw Malformation() }
                labels.append(try readBytes(Int(length)))
            case 3:
                let target = try Int(length & 0x3F) << 8 | Int(readByte())
                guard target < bound else { throw Malformation() }
                end = end ?? position
                bound = target
                position = target
            default:
                throw Malformation()
            }
        }
    }
}
