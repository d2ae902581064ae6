// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// A rate that changes at known times, and may repeat.
///
/// One unit of work is sent by 1 bit/s in a nanosecond; a bit is 10^9 units. So the sending time of a frame is a
/// quotient of integers, and the remainder is carried over to the next frame: rounding errors do not accumulate.
struct RateSource: Sendable {
    static let bit: UInt64 = 1_000_000_000
    /// A rate that sends a frame in no time.
    static let unlimited = UInt64.max

    private var timeline: IntervalCursor
    /// The rate of each interval of the timeline, in bits a second.
    private let rates: [UInt64]
    let period: Int64?
    /// The work of a whole period, saturated at a value above the work of any frame.
    let periodWork: UInt64

    /// Makes a source with `rates` in the intervals that start at `starts`, relative to `origin`; the first start is 0.
    init(starts: [Int64], rates: [UInt64], period: Int64?, origin: LinkTime) {
        timeline = IntervalCursor(starts: starts, period: period, origin: origin)
        // The limit is above any rate of a profile; below it, sums with the work of a frame fit into 64 bits.
        self.rates = rates.map { $0 < 1 << 60 ? $0 : Self.unlimited }
        self.period = timeline.period
        periodWork =
            timeline.period.map { period in
                zip(starts.indices, rates).reduce(0) { sum, pair in
                    let end = pair.0 + 1 < starts.count ? starts[pair.0 + 1] : period
                    let (work, isLarge) = pair.1.multipliedReportingOverflow(by: UInt64(end - starts[pair.0]))
                    let (total, isLarger) = sum.addingReportingOverflow(work)
                    return isLarge || isLarger || pair.1 == Self.unlimited ? .max : total
                }
            } ?? .max
    }

    init(constant rate: UInt64) {
        self.init(starts: [0], rates: [rate], period: nil, origin: LinkTime(nanoseconds: 0))
    }

    /// Makes a source of a recording: zero before its first line, and the rate of the last line after its end unless it
    /// repeats.
    init(steps: [Trace.Step], repeats: Bool, origin: LinkTime) {
        var starts = steps.map(\.at.nanoseconds)
        var rates = steps.map(\.rate.bitsPerSecond)
        // The last line of a recording that repeats marks the end of the period; its rate is not used.
        let period = repeats && starts.count > 1 ? starts.last : nil
        if period != nil {
            starts.removeLast()
            rates.removeLast()
        }
        if starts.first != 0 {
            starts.insert(0, at: 0)
            rates.insert(0, at: 0)
        }
        self.init(starts: starts, rates: rates, period: period, origin: origin)
    }

    /// Advances to `time`, which must not decrease.
    mutating func advance(to time: Int64) {
        timeline.advance(to: time)
    }

    var rate: UInt64 { rates[timeline.index] }

    /// The end of the interval of the current rate.
    var end: Int64 { timeline.end }
}
