// SPDX-License-Identifier: Apache-2.0

/// Buckets of whole numbers for a histogram: those of a doubling are as wide as each other, and twice as wide as those of
/// the doubling before, so that a bucket is narrow beside what it holds.
package struct ValueBuckets: Sendable {
    /// The binary logarithm of the number of buckets in a doubling. Numbers below two times as many have one each.
    private let precision: Int

    package init(perDoubling count: Int) {
        precondition(count > 0 && count & (count - 1) == 0, "no power of two")
        precision = count.trailingZeroBitCount
    }

    /// The bucket of a number.
    package func bucket(_ value: UInt32) -> Int {
        let shift = max(UInt32.bitWidth - 1 - precision - value.leadingZeroBitCount, 0)
        return shift << precision + Int(value >> shift)
    }

    /// The largest number in a bucket.
    package func largest(in bucket: Int) -> UInt32 {
        let shift = max(bucket >> precision - 1, 0)
        return (UInt32(bucket - shift << precision) << shift) | (1 << shift - 1)
    }
}
