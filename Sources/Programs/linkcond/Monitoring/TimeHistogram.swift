// SPDX-License-Identifier: Apache-2.0

/// Counts durations in buckets whose width is below 1 % of what they hold, as an HDR histogram of two digits does.
///
/// Holds 1 µs to 71 minutes, in whole microseconds: 13 kB once the longest is in it, however many there are.
struct TimeHistogram {
    private var counts: [UInt32] = []
    private var total = 0
    private var shortest = UInt32.max
    private var longest: UInt32 = 0

    mutating func record(_ time: Duration) {
        let value = UInt32(max(min(time / .microseconds(1), Double(UInt32.max)), 1))
        let bucket = Self.bucket(value)
        if bucket >= counts.count { counts += repeatElement(0, count: bucket + 1 - counts.count) }
        counts[bucket] &+= 1
        total += 1
        (shortest, longest) = (min(shortest, value), max(longest, value))
    }

    /// The duration that this share of the recorded ones stays within; nil without any.
    func percentile(_ share: Double) -> Duration? {
        guard total > 0 else { return nil }
        let rank = max(Int((share.nextDown * Double(total)).rounded(.up)), 1)
        var seen = 0
        let bucket = counts.firstIndex { count in
            seen += Int(count)
            return seen >= rank
        }
        let value = bucket.map(Self.highest) ?? longest
        return .microseconds(Int64(max(min(value, longest), shortest)))
    }

    /// The bucket of a value: below 256 the value itself; above, each doubling of the value has 128.
    private static func bucket(_ value: UInt32) -> Int {
        let shift = max(24 - value.leadingZeroBitCount, 0)
        return shift * 128 + Int(value >> shift)
    }

    private static func highest(_ bucket: Int) -> UInt32 {
        let shift = max(bucket / 128 - 1, 0)
        return (UInt32(bucket - shift * 128) << shift) | (1 << shift - 1)
    }
}
