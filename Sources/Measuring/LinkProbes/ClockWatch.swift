// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls

/// Detects that the time of day was set during a measurement, whose packets are dated by it.
struct ClockWatch {
    /// The smallest step that counts as a set clock, in nanoseconds: adjtimex(2) slews a clock by at most 500 ppm,
    /// which is less.
    private static let minimum: Int64 = 1_000_000
    /// The longest time, in nanoseconds, between the two monotonic readings: a slower comparison is ignored.
    private static let readingTime: Int64 = 200_000

    private var offset: Int64?

    /// Compares the time of day, `wall`, with CLOCK_MONOTONIC read before and after it, and stores their difference.
    /// Returns whether the difference has jumped since the last comparison.
    mutating func wasSet(before: Int64, wall: Int64, after: Int64) -> Bool {
        guard after - before <= Self.readingTime else { return false }
        let now = wall - before
        defer { offset = now }
        return offset.map { abs(now - $0) > Self.minimum } ?? false
    }

    /// Compares the clocks now; throws if the time of day was set.
    mutating func look() throws(ProbeError) {
        let before = lc_monotonic_time()
        let wall = lc_wall_time()
        guard !wasSet(before: before, wall: wall, after: lc_monotonic_time()) else {
            throw ProbeError("the time of day was set during the measurement, which dates packets by it: measure again")
        }
    }
}
