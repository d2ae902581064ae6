// SPDX-License-Identifier: Apache-2.0

/// Consecutive intervals of time that may repeat; finds the interval of a time, for times in ascending order.
struct IntervalCursor: Sendable {
    /// The starts of the intervals relative to the origin, in ascending order from 0.
    private let starts: [Int64]
    let period: Int64?
    private let origin: Int64

    private(set) var index = 0
    /// The end of the current interval; `LinkTime.never` if it is the last.
    private(set) var end: Int64

    static let endless = LinkTime.never.nanoseconds

    /// Makes a timeline; it repeats only if `period` is after the last start.
    init(starts: [Int64], period: Int64?, origin: LinkTime) {
        self.starts = starts
        self.period = period.flatMap { $0 > (starts.last ?? 0) ? $0 : nil }
        self.origin = origin.nanoseconds
        // Before the first seek, every time is after the end.
        end = .min
        seek(self.origin)
    }

    /// Advances to the interval that contains `time`; the first one contains all times before the origin.
    @inline(__always)
    mutating func advance(to time: Int64) {
        if time >= end { seek(time) }
    }

    @inline(never)
    private mutating func seek(_ time: Int64) {
        let elapsed = max(time - origin, 0)
        let offset = period.map { elapsed % $0 } ?? elapsed
        var (low, high) = (0, starts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= offset { low = middle } else { high = middle }
        }
        index = low
        let following = low + 1 < starts.count ? starts[low + 1] : period
        end = following.map { min(origin + elapsed - offset + $0, Self.endless) } ?? Self.endless
    }
}
