// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// The length and a checksum of a capture's bytes, with which a reader verifies that the file was not changed.
///
/// The checksum is a polynomial over the integers modulo 2^61 - 1, evaluated at a secret key. Each coefficient is a
/// group of seven bytes. Somebody without the key can change a file of N bytes and keep its checksum with a probability
/// of at most N / 2^61 (Carter and Wegman, "Universal classes of hash functions", 1979).
package struct CaptureDigest: Sendable {
    /// The digest's result, which writer and reader compare.
    package struct Value: Hashable, Sendable {
        package var length: Int
        package var checksum: UInt64

        package init(length: Int, checksum: UInt64) { (self.length, self.checksum) = (length, checksum) }
    }

    private static let prime: UInt64 = 1 << 61 - 1
    private static let step = 7

    private let key: UInt64
    private var sum: UInt64 = 0
    private var length = 0
    /// The bytes after the last whole group of `step` bytes, and their number.
    private var rest: UInt64 = 0
    private var restLength = 0

    /// - Parameter key: a key from ``makeKey()``.
    package init(key: UInt64) { self.key = key }

    /// Makes a random secret key.
    package static func makeKey() -> UInt64 { UInt64.random(in: 1 << 32..<prime) }

    /// Adds the capture's next bytes.
    package mutating func add(_ bytes: UnsafeRawBufferPointer) {
        length += bytes.count
        var offset = 0
        while restLength > 0 || bytes.count - offset < 8, offset < bytes.count {
            rest |= UInt64(bytes[offset]) << (8 * UInt64(restLength))
            (offset, restLength) = (offset + 1, restLength + 1)
            guard restLength == Self.step else { continue }
            sum = Self.product(Self.reduced(sum + rest), key)
            (rest, restLength) = (0, 0)
        }
        while bytes.count - offset >= 8 {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            sum = Self.product(Self.reduced(sum + word & (1 << 56 - 1)), key)
            offset += Self.step
        }
        // Fewer than eight bytes are left: the loop for single bytes adds them.
        if offset < bytes.count {
            let last = UnsafeRawBufferPointer(rebasing: bytes[offset...])
            length -= last.count
            add(last)
        }
    }

    package mutating func add(_ bytes: ArraySlice<UInt8>) { bytes.withUnsafeBytes { add($0) } }

    /// The digest of everything that was added.
    package var value: Value {
        let last = Self.product(Self.reduced(sum + rest), key)
        return Value(length: length, checksum: Self.reduced(last + UInt64(length) % Self.prime))
    }

    private static func reduced(_ number: UInt64) -> UInt64 {
        let folded = number & prime + number >> 61
        return folded >= prime ? folded - prime : folded
    }

    private static func product(_ first: UInt64, _ second: UInt64) -> UInt64 {
        let (high, low) = first.multipliedFullWidth(by: second)
        // 2^64 is 8, modulo 2^61 - 1.
        return reduced(low & prime + (high << 3 | low >> 61))
    }
}

extension CaptureDigest.Value: JSONObject {
    package static let blank = CaptureDigest.Value(length: 0, checksum: 0)

    package mutating func describe(_ members: inout JSONMembers) {
        members.required("length", &length)
        members.required("checksum", &checksum)
    }
}
