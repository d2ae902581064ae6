// SPDX-License-Identifier: Apache-2.0

/// Reads numbers and pieces from bytes, in either byte order; nil where they end.
struct ByteCursor {
    private(set) var rest: ArraySlice<UInt8>
    let isBigEndian: Bool

    init(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool) {
        rest = bytes
        self.isBigEndian = isBigEndian
    }

    mutating func number<Number: FixedWidthInteger>(_: Number.Type = Number.self) -> Number? {
        let size = MemoryLayout<Number>.size
        guard rest.count >= size else { return nil }
        let piece = rest.prefix(size)
        rest = rest.dropFirst(size)
        // Most significant first.
        return (isBigEndian ? Array(piece) : piece.reversed()).reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
    }

    /// A stamp as two halves, the upper one first.
    mutating func stamp() -> UInt64? {
        guard let high = number(UInt32.self), let low = number(UInt32.self) else { return nil }
        return UInt64(high) << 32 | UInt64(low)
    }

    /// The next `count` bytes, and past the padding to four bytes.
    mutating func padded(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, rest.count >= count else { return nil }
        let piece = rest.prefix(count)
        rest = rest.dropFirst((count + 3) / 4 * 4)
        return piece
    }

    /// The options of a block, until their end.
    mutating func options() -> [(code: UInt16, value: ArraySlice<UInt8>)] {
        var options: [(code: UInt16, value: ArraySlice<UInt8>)] = []
        while let code = number(UInt16.self), code != PcapngBlock.Option.end, let length = number(UInt16.self),
            let value = padded(Int(length))
        {
            options.append((code, value))
        }
        return options
    }
}
