// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// Computes when each frame is sent, one after the other, at a rate that may change with time.
///
/// All future rates are known, so the end of a frame is computed when the frame is enqueued.
struct Transmitter: Sendable {
    /// The source of the rate in an interval of the schedule.
    private enum Source: Sendable {
        case rates(RateSource)
        case opportunities(OpportunitySource)
    }

    private var intervals: IntervalCursor
    private let sources: [Source]

    /// The current source is `opportunities` if `usesOpportunities`, otherwise `rates`. It is a copy of an element of
    /// `sources`, so that sending a frame changes integers only, and not the array.
    private var rates: RateSource
    private var opportunities: OpportunitySource
    private var usesOpportunities = false

    /// The end of the last frame: the nanosecond, and the work already done in that nanosecond.
    private var time: Int64 = .min
    private var used: UInt64 = 0
    /// A rate above zero that is valid from `time` to `steadyEnd`; if none is known, `steadyEnd` is in the past.
    private var steadyRate: UInt64 = 1
    private var steadyEnd: Int64 = .min

    /// The number of consecutive changes of the rate within one frame after which it counts as never sent.
    private static let maximumChanges = 1_000_000

    init(_ conditions: LaneConditions, start: LinkTime) {
        let intervals = conditions.intervals
        let starts = intervals.map(\.start)
        let period = conditions.period?.nanoseconds
        let traces = intervals.map { interval in interval.impairments.trace.map { conditions.traces[$0] } ?? nil }
        let rates = intervals.map { $0.impairments.rate?.bitsPerSecond ?? RateSource.unlimited }
        if traces.allSatisfy({ $0 == nil }) {
            self.intervals = IntervalCursor(starts: [0], period: nil, origin: start)
            sources = [.rates(RateSource(starts: starts, rates: rates, period: period, origin: start))]
        } else {
            self.intervals = IntervalCursor(starts: starts, period: period, origin: start)
            sources = intervals.indices.map { index in
                let repeats = intervals[index].impairments.trace?.loop ?? false
                return switch traces[index]?.content {
                case nil: .rates(RateSource(constant: rates[index]))
                case .opportunities(let stamps):
                    .opportunities(OpportunitySource(stamps: stamps, repeats: repeats, origin: start))
                case .rates(let steps): .rates(RateSource(steps: steps, repeats: repeats, origin: start))
                }
            }
        }
        self.rates = RateSource(constant: RateSource.unlimited)
        opportunities = OpportunitySource(stamps: [], repeats: false, origin: start)
        enter()
    }

    /// Sends a frame that reaches the transmitter at `ready`, after the frames before it; returns the time of its last
    /// bit, rounded up.
    @inline(__always)
    mutating func send(wireBytes: UInt32, ready: Int64) -> Int64 {
        if ready >= time + (used > 0 ? 1 : 0) {
            time = ready
            used = 0
            if usesOpportunities { opportunities.skip(past: ready) }
        }
        let work = UInt64(wireBytes) * (8 * RateSource.bit)
        if time < steadyEnd {
            let (whole, rest) = (used + work).quotientAndRemainder(dividingBy: steadyRate)
            if Int64(whole) < steadyEnd - time {
                time += Int64(whole)
                used = rest
                return time + (rest > 0 ? 1 : 0)
            }
        }
        sendAcrossChanges(work, ready: ready)
        return time + (used > 0 ? 1 : 0)
    }

    /// Returns the result that `send` would have, if the link is idle and the rate does not change while the frame is
    /// sent; otherwise nil.
    @inline(__always)
    func steadyEnd(ofWireBytes wireBytes: UInt32, ready: Int64) -> Int64? {
        guard ready > time, ready < steadyEnd else { return nil }
        let (whole, rest) = (UInt64(wireBytes) * (8 * RateSource.bit)).quotientAndRemainder(dividingBy: steadyRate)
        guard Int64(whole) < steadyEnd - ready else { return nil }
        return ready + Int64(whole) + (rest > 0 ? 1 : 0)
    }

    /// Makes the source of the current interval the current one.
    private mutating func enter() {
        switch sources[intervals.index] {
        case .rates(let source):
            rates = source
            usesOpportunities = false
        case .opportunities(let source):
            opportunities = source
            usesOpportunities = true
        }
    }

    @inline(never)
    private mutating func sendAcrossChanges(_ frameWork: UInt64, ready: Int64) {
        var work = frameWork
        enterInterval(ready: ready)
        if usesOpportunities { work -= min(work - 1, OpportunitySource.headerDifference) }
        for _ in 0..<Self.maximumChanges where time < IntervalCursor.endless {
            if usesOpportunities ? sendByOpportunities(&work) : sendByRate(&work) { return }
            enterInterval(ready: ready)
        }
        (time, used, steadyEnd) = (IntervalCursor.endless, 0, .min)
    }

    /// Enters the interval that contains `time`, for a frame that has been waiting since `ready`.
    private mutating func enterInterval(ready: Int64) {
        guard time >= intervals.end else { return }
        intervals.advance(to: time)
        enter()
        // An opportunity at the start of the interval is for frames that were already waiting.
        if usesOpportunities { opportunities.skip(past: max(time - 1, ready)) }
    }

    /// Continues the frame at the rate that is valid at `time`; returns true if it is sent completely.
    private mutating func sendByRate(_ work: inout UInt64) -> Bool {
        rates.advance(to: time)
        let end = min(rates.end, intervals.end)
        let rate = rates.rate
        guard rate != RateSource.unlimited else {
            steadyEnd = .min
            used = 0
            return true
        }
        if rate > 0 {
            (steadyRate, steadyEnd) = (rate, end)
            let (whole, rest) = (used + work).quotientAndRemainder(dividingBy: rate)
            if whole < UInt64(end - time) || (whole == UInt64(end - time) && rest == 0) {
                time += Int64(whole)
                used = rest
                return true
            }
        }
        if let period = rates.period, work > rates.periodWork {
            // Skip whole periods, but keep some work, so that the interval in which the frame ends is still found.
            let allowed = UInt64((intervals.end - time) / period)
            let rounds = rates.periodWork > 0 ? min((work - 1) / rates.periodWork, allowed) : allowed
            if rounds > 0 {
                work -= rounds * rates.periodWork
                time += Int64(rounds) * period
                return false
            }
        }
        // The product fits: it is zero, or smaller than the remaining work.
        work -= rate * UInt64(end - time) - used
        (time, used) = (end, 0)
        return false
    }

    /// Continues the frame in the opportunities of this interval; returns true if it is sent completely.
    private mutating func sendByOpportunities(_ work: inout UInt64) -> Bool {
        steadyEnd = .min
        while opportunities.left < work {
            work -= opportunities.left
            opportunities.left = 0
            guard opportunities.nextTime < intervals.end else {
                (time, used) = (intervals.end, 0)
                return false
            }
            time = max(opportunities.nextTime, time)
            opportunities.advance()
        }
        opportunities.left -= work
        used = 0
        return true
    }
}
