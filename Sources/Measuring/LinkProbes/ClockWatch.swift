// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls

/// Notices that the time of day is set while packets are dated by it.
struct ClockWatch {
    /// The smallest step that counts as a set clock, in nanoseconds: adjtimex(2) corrects a clock by less, 500 ppm.
    private static let minimum: Int64 = 1_000_000
    /// Readings that took longer tell nothing.
    private static let readingTime: Int64 = 200_000

    private var offset: Int64?

    /// Compares the time of day with CLOCK_MONOTONIC, read before and after it. Returns whether the time of day was set since the
    /// last comparison.
    mutating func wasSet(before: Int64, wall: Int64, after: Int64) -> Bool {
        guard after - before <= Self.readingTime else { return false }
        let now = wall - before
        defer { offset = now }
        return offset.map { abs(now - $0) > Self.minimum } ?? false
    }

    /// Compares now.
    mutating func look() throws(ProbeError) {
        let before = lc_monotonic_time()
        let wall = lc_wall_time()
        guard !wasSet(before: before, wall: wall, after: lc_monotonic_time()) else {
            throw ProbeError("the time of day was set during the measurement, which dates packets by it: measure again")
        }
    }
}
