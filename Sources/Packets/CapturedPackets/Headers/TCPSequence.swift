// SPDX-License-Identifier: Apache-2.0

/// A sequence number of TCP (RFC 9293, section 3.4) or a timestamp (RFC 7323, section 5.2): 32 bits, which wrap.
///
/// The type is not Comparable: two numbers have an order only if they are less than 2^31 apart.
package struct TCPSequence: Hashable, Sendable, ExpressibleByIntegerLiteral {
    package var number: UInt32

    @inlinable @inline(__always) package init(_ number: UInt32) { self.number = number }

    @inlinable @inline(__always) package init(integerLiteral number: UInt32) { self.number = number }

    /// True if this number precedes `other`.
    @inlinable @inline(__always) package func isBefore(_ other: Self) -> Bool { distance(from: other) < 0 }

    /// True if this number follows `other`.
    @inlinable @inline(__always) package func isAfter(_ other: Self) -> Bool { distance(from: other) > 0 }

    /// The number `count` bytes later.
    @inlinable @inline(__always) package static func + (number: Self, count: Int) -> Self {
        Self(number.number &+ UInt32(truncatingIfNeeded: count))
    }

    /// The number `count` bytes earlier.
    @inlinable @inline(__always) package static func - (number: Self, count: Int) -> Self {
        Self(number.number &- UInt32(truncatingIfNeeded: count))
    }

    @inlinable @inline(__always) package static func += (number: inout Self, count: Int) { number = number + count }

    /// The bytes from `other` to this number, in the direction in which they are closer: negative if this number
    /// precedes `other`, -2^31 if they are exactly 2^31 apart.
    @inlinable @inline(__always) package func distance(from other: Self) -> Int {
        Int(Int32(bitPattern: number &- other.number))
    }

    /// The bytes from `first`, which precedes this number or equals it, to this number: less than 2^32.
    @inlinable @inline(__always) package func offset(from first: Self) -> UInt32 { number &- first.number }
}
