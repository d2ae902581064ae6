// SPDX-License-Identifier: Apache-2.0

/// The first header of a datagram of QUIC (RFC 9000, section 17).
package enum QUICHeader {
    private static let version2: UInt32 = 0x6B33_43CF
    /// Versions 1 and 2 have connection IDs of at most 20 bytes.
    private static let longestID: UInt8 = 20

    /// Whether a datagram starts with an Initial packet, the first that a client sends.
    package static func isInitial(_ payload: ArraySlice<UInt8>) -> Bool {
        var reader = ByteCursor(payload)
        guard let first = reader.byte(), let version = reader.long(), let length = reader.byte() else { return false }
        // The form bit and the fixed bit; version 2 has another number for the type Initial (RFC 9369).
        return first & 0xC0 == 0xC0 && version != 0 && first >> 4 & 3 == (version == version2 ? 1 : 0)
            && length <= longestID && reader.bytes(Int(length)) != nil
    }

    /// Whether a datagram starts with a short header, as on an established connection (section 17.3). Datagrams of
    /// other protocols may match, too.
    package static func isShort(_ payload: ArraySlice<UInt8>) -> Bool {
        // A protected packet has 21 bytes at least, so that its end can be sampled (section 5.4.2 of RFC 9001).
        payload.first.map { $0 & 0xC0 == 0x40 } == true && payload.count >= 21
    }
}
