// SPDX-License-Identifier: Apache-2.0

/// Reads numbers and slices from the front of a byte sequence, in either byte order; reads past its end return nil.
package struct ByteCursor {
    let bytes: ArraySlice<UInt8>
    /// The index of the next byte.
    var index: Int
    let isBigEndian: Bool

    /// Starts at the first byte of `bytes`.
    package init(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool = true) {
        (self.bytes, index, self.isBigEndian) = (bytes, bytes.startIndex, isBigEndian)
    }

    /// The number of bytes read so far.
    var offset: Int { index - bytes.startIndex }
    /// The bytes that are not read yet.
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

    /// Skips `count` bytes; returns false, and skips none, if fewer are left.
    mutating func skip(_ count: Int) -> Bool {
        guard count >= 0, bytes.endIndex - index >= count else { return false }
        index += count
        return true
    }

    /// Reads a field that starts with its length, a number of `lengthBytes` (1 or 2) bytes; returns the field without
    /// it.
    package mutating func field(lengthBytes: Int) -> ArraySlice<UInt8>? {
        let length = lengthBytes == 1 ? byte().map { Int($0) } : word().map { Int($0) }
        return length.flatMap { bytes($0) }
    }
}
