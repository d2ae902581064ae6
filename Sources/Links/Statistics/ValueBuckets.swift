// SPDX-License-Identifier: Apache-2.0

/// Buckets of whole numbers for a histogram with bounded relative error: each range from 2^n to 2^(n+1) is divided into
/// the same number of equal buckets.
package struct ValueBuckets: Sendable {
    /// The binary logarithm of the number of buckets from 2^n to 2^(n+1). Numbers below twice that number have one
    /// bucket each.
    private let precision: Int

    package init(perDoubling count: Int) {
        precondition(count > 0 && count & (count - 1) == 0, "no power of two")
        precision = count.trailingZeroBitCount
    }

    /// The index of the bucket that contains a number.
    package func bucket(_ value: UInt32) -> Int {
        let shift = max(UInt32.bitWidth - 1 - precision - value.leadingZeroBitCount, 0)
        return shift << precision + Int(value >> shift)
    }

    /// The largest number in the bucket with an index.
    package func largest(in bucket: Int) -> UInt32 {
        let shift = max(bucket >> precision - 1, 0)
        return (UInt32(bucket - shift << precision) << shift) | (1 << shift - 1)
    }
}
