// SPDX-License-Identifier: Apache-2.0

import Statistics

/// Counts durations in buckets whose width is below 1 % of their values, like an HDR histogram with two digits.
///
/// The range is 1 µs to 71 minutes, in whole microseconds. It needs at most 13 kB, for any number of durations.
struct TimeHistogram {
    private static let buckets = ValueBuckets(perDoubling: 128)

    private var counts: [UInt32] = []
    private var total = 0
    private var shortest = UInt32.max
    private var longest: UInt32 = 0

    mutating func record(_ time: Duration) {
        let value = UInt32(max(min(time / .microseconds(1), Double(UInt32.max)), 1))
        let bucket = Self.buckets.bucket(value)
        if bucket >= counts.count { counts += repeatElement(0, count: bucket + 1 - counts.count) }
        counts[bucket] &+= 1
        total += 1
        (shortest, longest) = (min(shortest, value), max(longest, value))
    }

    /// The percentile of the recorded durations at this share; nil without any.
    func percentile(_ share: Double) -> Duration? {
        guard total > 0 else { return nil }
        let rank = NearestRank.rank(share, of: total)
        var seen = 0
        let bucket = counts.firstIndex { count in
            seen += Int(count)
            return seen >= rank
        }
        let value = bucket.map(Self.buckets.largest) ?? longest
        return .microseconds(Int64(max(min(value, longest), shortest)))
    }
}
