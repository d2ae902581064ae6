// SPDX-License-Identifier: Apache-2.0

/// The long header of QUIC (RFC 9000, section 17.2).
package enum QUICHeader {
    private static let version2: UInt32 = 0x6B33_43CF
    /// Versions 1 and 2 have connection IDs of at most 20 bytes.
    private static let longestID: UInt8 = 20

    /// Whether a datagram begins with an Initial packet: a client's first.
    package static func isInitial(_ payload: ArraySlice<UInt8>) -> Bool {
        var reader = ByteCursor(payload)
        guard let first = reader.byte(), let version = reader.long(), let length = reader.byte() else { return false }
        // The form and the fixed bit; the type is another number in version 2 (RFC 9369).
        return first & 0xC0 == 0xC0 && version != 0 && first >> 4 & 3 == (version == version2 ? 1 : 0)
            && length <= longestID && reader.bytes(Int(length)) != nil
    }
}
