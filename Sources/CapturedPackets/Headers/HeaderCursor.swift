// SPDX-License-Identifier: Apache-2.0

/// Reads a packet's headers from the front, in network byte order; nil where the bytes end.
struct HeaderCursor {
    private let bytes: [UInt8]
    /// How far it has read.
    private(set) var offset = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func byte() -> UInt8? { number() }
    mutating func word() -> UInt16? { number() }
    mutating func long() -> UInt32? { number() }

    /// The next `count` bytes.
    mutating func bytes(_ count: Int) -> [UInt8]? {
        guard count >= 0, bytes.count - offset >= count else { return nil }
        defer { offset += count }
        return Array(bytes[offset..<offset + count])
    }

    /// Passes `count` bytes; false if there are fewer.
    mutating func skip(_ count: Int) -> Bool {
        guard count >= 0, bytes.count - offset >= count else { return false }
        offset += count
        return true
    }

    private mutating func number<Number: FixedWidthInteger>() -> Number? {
        let size = MemoryLayout<Number>.size
        guard bytes.count - offset >= size else { return nil }
        defer { offset += size }
        return bytes[offset..<offset + size].reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
    }
}
