// SPDX-License-Identifier: Apache-2.0

/// The Internet checksum (RFC 1071), computed in parts.
package struct Checksum {
    /// The sum of 32-bit words in the machine's byte order, which `folded` corrects.
    @usableFromInline var sum: UInt64 = 0

    @inlinable package init() {}

    /// Adds bytes; all parts except the last must have an even length.
    @inlinable @inline(__always) package mutating func add(_ start: UnsafeRawPointer, _ count: Int) {
        var offset = 0
        var low = sum
        var high: UInt64 = 0
        while offset &+ 8 <= count {
            let value = start.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            low &+= value & 0xFFFF_FFFF
            high &+= value >> 32
            offset &+= 8
        }
        sum = low &+ high
        while offset &+ 2 <= count {
            sum &+= UInt64(start.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
            offset &+= 2
        }
        if offset < count { sum &+= UInt64(UInt16(start.load(fromByteOffset: offset, as: UInt8.self)).littleEndian) }
    }

    /// Adds a 16-bit number, as a packet contains it in network byte order.
    @inlinable @inline(__always) package mutating func add(_ number: UInt16) {
        sum &+= UInt64(number.bigEndian)
    }

    /// The folded sum, not complemented: the value that a sender stores if the device completes the checksum.
    @inlinable @inline(__always) package var folded: UInt16 {
        var rest = sum
        while rest >> 16 != 0 { rest = (rest & 0xFFFF) &+ (rest >> 16) }
        return UInt16(truncatingIfNeeded: rest).bigEndian
    }

    /// The complement of the folded sum: the value of a header's checksum field.
    @inlinable @inline(__always) package var complement: UInt16 { ~folded }

    /// The checksum after one of the words that it covers is replaced (RFC 1624).
    @inlinable @inline(__always)
    package static func updated(_ checksum: UInt16, _ old: UInt16, _ new: UInt16) -> UInt16 {
        var sum = UInt32(~checksum) + UInt32(~old) + UInt32(new)
        while sum >> 16 != 0 { sum = sum & 0xFFFF + sum >> 16 }
        return ~UInt16(sum)
    }

    /// The sum of the pseudo-header of TCP and UDP. The destination address must follow the source address.
    ///
    /// - Parameters:
    ///   - addresses: the first byte of the source address.
    ///   - count: bytes of both addresses, 8 or 32.
    ///   - length: bytes of transport header and payload.
    @inlinable package static func pseudoHeader(
        _ addresses: UnsafeRawPointer,
        _ count: Int,
        transport: UInt8,
        length: Int
    ) -> UInt16 {
        var checksum = Checksum()
        checksum.add(addresses, count)
        checksum.add(UInt16(transport))
        checksum.add(UInt16(truncatingIfNeeded: length >> 16))
        checksum.add(UInt16(truncatingIfNeeded: length))
        return checksum.folded
    }
}
