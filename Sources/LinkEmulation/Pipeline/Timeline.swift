// SPDX-License-Identifier: Apache-2.0

/// Consecutive stretches of time, numbered, that may repeat: which of them a moment falls into, for moments asked in
/// order.
struct Timeline: Sendable {
    /// Where the stretches begin, counted from the origin, rising from 0.
    private let starts: [Int64]
    let period: Int64?
    private let origin: Int64

    /// The stretch of the moment last asked for.
    private(set) var index = 0
    /// Where that stretch ends; `LinkTime.never` where nothing follows.
    private(set) var end: Int64

    static let endless = LinkTime.never.nanoseconds

    /// A `period` that does not lie behind the last start does not repeat anything.
    init(starts: [Int64], period: Int64?, origin: LinkTime) {
        self.starts = starts
        self.period = period.flatMap { $0 > (starts.last ?? 0) ? $0 : nil }
        self.origin = origin.nanoseconds
        // Nothing is known yet: any moment is behind it.
        end = .min
        seek(self.origin)
    }

    /// Goes to the stretch that holds `time`; before the origin the first one holds.
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
