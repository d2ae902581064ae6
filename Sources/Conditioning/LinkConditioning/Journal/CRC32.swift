// SPDX-License-Identifier: Apache-2.0

/// The checksum of IEEE 802.3 (zlib's crc32): detects every error burst of up to 32 bits.
enum CRC32 {
    /// The remainder for each value of a byte.
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }

    static func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
        let table = table
        var sum = UInt32.max
        for byte in bytes { sum = sum >> 8 ^ table[Int(UInt8(truncatingIfNeeded: sum) ^ byte)] }
        return ~sum
    }
}
