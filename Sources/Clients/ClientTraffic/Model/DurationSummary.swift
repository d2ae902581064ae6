// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import Statistics

/// A histogram of durations, with the exact minimum and maximum. Thousands of durations need no more memory than a
/// hundred.
package struct DurationSummary: Hashable, Sendable {
    /// Durations of about the same length.
    private struct Bucket: Hashable, Sendable {
        var number: UInt16
        var count: UInt32
        /// The sum of the durations, in nanoseconds.
        var sum: Int64
    }

    /// The limit in nanoseconds: a longer duration counts as one of this length.
    private static let limit: Int64 = 3_600_000_000_000

    /// The number of durations.
    package private(set) var count = 0
    /// The shortest duration, in nanoseconds.
    private var shortest: Int64 = 0
    private var longest: Int64 = 0
    /// The buckets that are not empty, in order.
    private var buckets: [Bucket] = []

    /// The shortest duration; nil if there is none.
    package var minimum: Duration? { count > 0 ? .nanoseconds(shortest) : nil }
    /// The longest duration; nil if there is none.
    package var maximum: Duration? { count > 0 ? .nanoseconds(longest) : nil }

    /// The median, within 3 %; of an even number, the shorter of the two in the middle. Nil if there are no durations.
    package var median: Duration? { percentile(50) }

    /// The nearest-rank percentile, within 3 %: `share` per cent of the durations are not longer. Nil if there are no
    /// durations.
    package func percentile(_ share: Int) -> Duration? {
        let rank = NearestRank.rank(Double(share) / 100, of: count)
        var before = 0
        for bucket in buckets {
            before += Int(bucket.count)
            if before >= rank { return .nanoseconds(bucket.sum / Int64(max(bucket.count, 1))) }
        }
        return nil
    }

    mutating func add(_ duration: Duration) { add(nanoseconds: duration.nanoseconds) }

    mutating func add(nanoseconds: Int64) {
        let length = min(max(nanoseconds, 0), Self.limit)
        add(Bucket(number: Self.number(length), count: 1, sum: length))
        (shortest, longest) = count == 0 ? (length, length) : (min(shortest, length), max(longest, length))
        count += 1
    }

    mutating func add(_ other: DurationSummary) {
        guard other.count > 0 else { return }
        guard count > 0 else { return self = other }
        for bucket in other.buckets { add(bucket) }
        (shortest, longest) = (min(shortest, other.shortest), max(longest, other.longest))
        count += other.count
    }

    private mutating func add(_ new: Bucket) {
        var (index, end) = (0, buckets.count)
        while index < end {
            let middle = (index + end) / 2
            if buckets[middle].number < new.number { index = middle + 1 } else { end = middle }
        }
        if index < buckets.endIndex, buckets[index].number == new.number {
            buckets[index].count &+= new.count
            buckets[index].sum &+= new.sum
        } else {
            buckets.insert(new, at: index)
        }
    }

    /// The bounds of the buckets, in microseconds.
    private static let lengths = ValueBuckets(perDoubling: 32)

    private static func number(_ length: Int64) -> UInt16 {
        UInt16(lengths.bucket(UInt32(clamping: length / 1000)))
    }
}
