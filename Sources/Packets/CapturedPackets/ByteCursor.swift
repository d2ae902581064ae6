// SPDX-License-Identifier: Apache-2.0

/// Reads numbers and pieces from bytes from the front, in either byte order; nil if they end.
package struct ByteCursor {
    let bytes: ArraySlice<UInt8>
    /// The index of the next byte.
    var index: Int
    let isBigEndian: Bool

    /// Reads bytes from their first on; in network byte order unless told otherwise.
    package init(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool = true) {
        (self.bytes, index, self.isBigEndian) = (bytes, bytes.startIndex, isBigEndian)
    }

    /// The number of bytes that have been passed.
    var offset: Int { index - bytes.startIndex }
    /// The bytes that follow.
    package var rest: ArraySlice<UInt8> { bytes[index...] }

    package mutating func byte() -> UInt8? { number() }
    package mutating func word() -> UInt16? { number() }
    package mutating func long() -> UInt32? { number() }

    mutating func number<Number: FixedWidthInteger & BitwiseCopyable>(_: Number.Type = Number.self) -> Number? {
        let size = MemoryLayout<Number>.size
        guard bytes.endIndex - index >= size else { return nil }
        let start = index - bytes.startIndex
        index += size
        let number = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: start, as: Number.self) }
        return isBigEndian ? Number(bigEndian: number) : Number(littleEndian: number)
    }

    /// The next `count` bytes.
    package mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard skip(count) else { return nil }
        return bytes[index - count..<index]
    }

    /// Passes `count` bytes; false if there are fewer.
    mutating func skip(_ count: Int) -> Bool {
        guard count >= 0, bytes.endIndex - index >= count else { return false }
        index += count
        return true
    }

    /// The bytes of a field that begins with its length, of one byte or of two.
    package mutating func field(lengthBytes: Int) -> ArraySlice<UInt8>? {
        let length = lengthBytes == 1 ? byte().map { Int($0) } : word().map { Int($0) }
        return length.flatMap { bytes($0) }
    }
}
