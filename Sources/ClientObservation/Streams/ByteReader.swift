// SPDX-License-Identifier: Apache-2.0

/// Reads numbers in network byte order and bytes from the front; nil where the bytes end.
struct ByteReader {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: some Sequence<UInt8>) { rest = ArraySlice(bytes) }

    mutating func byte() -> UInt8? { rest.popFirst() }

    mutating func word() -> UInt16? {
        guard let high = byte(), let low = byte() else { return nil }
        return UInt16(high) << 8 | UInt16(low)
    }

    mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// The bytes of a field that begins with its length, of one byte or of two.
    mutating func field(lengthBytes: Int) -> ArraySlice<UInt8>? {
        let length = lengthBytes == 1 ? byte().map { Int($0) } : word().map { Int($0) }
        return length.flatMap { bytes($0) }
    }
}
