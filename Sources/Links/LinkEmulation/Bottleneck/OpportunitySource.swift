// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// Recorded delivery opportunities, replayed as by mahimahi (link_queue.cc).
///
/// An opportunity carries 1504 bytes: a packet of 1500 bytes and the 4 bytes that mahimahi's TUN device puts before it.
/// Several packets share one opportunity, a packet that does not fit continues in the next one, and unused bytes are
/// lost. A packet cannot use an opportunity at the time of its own arrival. The last timestamp is also the start of
/// the next repetition. A recording that does not repeat sends nothing after its last opportunity.
struct OpportunitySource: Sendable {
    static let work = 1504 * 8 * RateSource.bit
    /// The work of 10 bytes: a frame's header of 14 bytes is 10 bytes longer than the 4 that mahimahi counts.
    static let headerDifference = 10 * 8 * RateSource.bit

    private let stamps: [UInt32]
    private let repeats: Bool
    private let origin: Int64
    private let period: Int64
    /// The index of the next opportunity, and the start of its repetition.
    private var next = 0
    private var base: Int64
    /// The unused work of the current opportunity.
    var left: UInt64 = 0

    init(stamps: [UInt32], repeats: Bool, origin: LinkTime) {
        self.stamps = stamps
        period = Int64(stamps.last ?? 0) * 1_000_000
        // A recording without duration cannot repeat.
        self.repeats = repeats && period > 0
        self.origin = origin.nanoseconds
        base = origin.nanoseconds
    }

    @inline(__always)
    var nextTime: Int64 {
        next < stamps.count ? base + Int64(stamps[next]) * 1_000_000 : IntervalCursor.endless
    }

    /// Makes the next opportunity the current one.
    @inline(__always)
    mutating func advance() {
        left = Self.work
        next += 1
        repeatAfterEnd()
    }

    /// Skips all opportunities up to and including `time`.
    @inline(__always)
    mutating func skip(past time: Int64) {
        left = 0
        if nextTime <= time { seek(past: time) }
    }

    @inline(never)
    private mutating func seek(past time: Int64) {
        if repeats { base += max(time - base, 0) / period * period }
        let offset = time - base
        var (low, high) = (0, stamps.count)
        while low < high {
            let middle = (low + high) / 2
            if Int64(stamps[middle]) * 1_000_000 <= offset { low = middle + 1 } else { high = middle }
        }
        next = low
        repeatAfterEnd()
    }

    @inline(__always)
    private mutating func repeatAfterEnd() {
        guard next == stamps.count, repeats else { return }
        next = 0
        base += period
    }
}
