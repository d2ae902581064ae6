// SPDX-License-Identifier: Apache-2.0

/// The header of IPv4 (RFC 791), which a raw socket shows ahead of what was sent.
enum IPHeader {
    /// How many bytes it takes; nil where there is none.
    static func length(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard let first = bytes.first, first >> 4 == 4 else { return nil }
        let length = Int(first & 0xF) * 4
        return length >= 20 && length <= bytes.count ? length : nil
    }
}
