// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// A rate that changes at known times, and may repeat.
///
/// Work is counted in units of which a rate of 1 bit/s does one in a nanosecond: `bit` of them are a bit. So every
/// time that a frame takes is a quotient of whole numbers, and what is left over is carried on: nothing drifts.
struct RateSource: Sendable {
    /// One bit of work.
    static let bit: UInt64 = 1_000_000_000
    /// A rate that sends everything at once.
    static let unlimited = UInt64.max

    private var timeline: Timeline
    /// Bits a second, for each of the timeline's stretches.
    private let rates: [UInt64]
    let period: Int64?
    /// The work that a whole period does, at least; beyond what any frame needs it is not counted.
    let periodWork: UInt64

    /// The rates of stretches that begin at `starts`, counted from `origin`; the first of them is 0.
    init(starts: [Int64], rates: [UInt64], period: Int64?, origin: LinkTime) {
        timeline = Timeline(starts: starts, period: period, origin: origin)
        // Beyond any rate of a profile, so that sums with the work of a frame fit into 64 bits.
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

    /// The recording's rates: none before its first line's time, the last line's from then on unless it repeats.
    init(steps: [Trace.Step], repeats: Bool, origin: LinkTime) {
        var starts = steps.map(\.at.nanoseconds)
        var rates = steps.map(\.rate.bitsPerSecond)
        // The last line only says where the recording ends, if it begins again there.
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

    /// Goes to `time`, which is not before the one last asked for.
    mutating func advance(to time: Int64) {
        timeline.advance(to: time)
    }

    /// The rate where the source stands.
    var rate: UInt64 { rates[timeline.index] }

    /// Until when that rate holds.
    var end: Int64 { timeline.end }
}
