// SPDX-License-Identifier: Apache-2.0

/// The checksum of the Internet's protocols (RFC 1071).
enum InternetChecksum {
    /// The one's complement of the one's complement sum of the 16-bit words; zero if the bytes hold a valid checksum.
    static func of(_ bytes: UnsafeRawBufferPointer) -> UInt16 {
        var sum: UInt32 = 0
        var index = 0
        while index + 1 < bytes.count {
            sum += UInt32(bytes[index]) << 8 | UInt32(bytes[index + 1])
            index += 2
        }
        if index < bytes.count { sum += UInt32(bytes[index]) << 8 }
        while sum >> 16 != 0 { sum = (sum & 0xFFFF) + sum >> 16 }
        return ~UInt16(sum)
    }
}
