// SPDX-License-Identifier: Apache-2.0

/// Reads the elements of a DER encoding one after another (X.690).
///
/// What does not fit its surroundings ends the reading: nothing beyond the bytes given is ever looked at.
struct DERReader {
    /// One element: its identifier byte and what it holds.
    struct Element {
        let tag: UInt8
        let content: ArraySlice<UInt8>
    }

    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    /// The identifier byte of the next element; nil at the end.
    var nextTag: UInt8? { rest.first }

    /// Reads the next element; nil where there is none, or none that is sound.
    mutating func next() -> Element? {
        // Tags of several bytes (low bits all set) do not occur in certificates.
        guard let tag = rest.popFirst(), tag & 0x1F != 0x1F, let first = rest.popFirst() else { return stop() }
        var length = Int(first)
        if first >= 0x80 {
            // 0x80 itself means a length that is found by searching, which DER does not have.
            let count = Int(first & 0x7F)
            guard (1...4).contains(count), rest.count >= count else { return stop() }
            length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(count)
        }
        guard length <= rest.count else { return stop() }
        defer { rest = rest.dropFirst(length) }
        return Element(tag: tag, content: rest.prefix(length))
    }

    /// Reads the next element if it is of this kind, and gives what it holds.
    mutating func next(_ tag: UInt8) -> ArraySlice<UInt8>? {
        guard nextTag == tag else { return nil }
        return next()?.content
    }

    private mutating func stop() -> Element? {
        rest = []
        return nil
    }
}
