// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// Sends one frame after the other at the rate that holds at each moment, and says when each has been sent.
///
/// Whatever the rate will be is known, so that a frame's end can be told as soon as its turn is.
struct Transmitter: Sendable {
    /// What gives a stretch of the schedule its rate.
    private enum Source: Sendable {
        case rates(RateSource)
        case opportunities(OpportunitySource)
    }

    private var stretches: Timeline
    private let sources: [Source]

    /// The source that holds now; which of the two says `isChance`. Held apart from `sources` so that nothing but
    /// numbers changes as frames are sent.
    private var rates: RateSource
    private var chances: OpportunitySource
    private var isChance = false

    /// The end of the last frame: nanoseconds, and the work done in the nanosecond that begins there.
    private var time: Int64 = .min
    private var used: UInt64 = 0
    /// A rate above zero that holds from `time` up to `steadyEnd`; where none is known, the end is in the past.
    private var steadyRate: UInt64 = 1
    private var steadyEnd: Int64 = .min

    /// So many changes of the rate in a row that send nothing to speak of are never going to.
    private static let patience = 1_000_000

    init(_ conditions: LaneConditions, start: LinkTime) {
        let stretches = conditions.stretches
        let starts = stretches.map(\.start)
        let period = conditions.period?.nanoseconds
        let traces = stretches.map { stretch in stretch.impairments.trace.map { conditions.traces[$0] } ?? nil }
        let rates = stretches.map { $0.impairments.rate?.bitsPerSecond ?? RateSource.unlimited }
        if traces.allSatisfy({ $0 == nil }) {
            self.stretches = Timeline(starts: [0], period: nil, origin: start)
            sources = [.rates(RateSource(starts: starts, rates: rates, period: period, origin: start))]
        } else {
            self.stretches = Timeline(starts: starts, period: period, origin: start)
            sources = stretches.indices.map { index in
                let repeats = stretches[index].impairments.trace?.loop ?? false
                return switch traces[index]?.content {
                case nil: .rates(RateSource(constant: rates[index]))
                case .opportunities(let stamps):
                    .opportunities(OpportunitySource(stamps: stamps, repeats: repeats, origin: start))
                case .rates(let steps): .rates(RateSource(steps: steps, repeats: repeats, origin: start))
                }
            }
        }
        self.rates = RateSource(constant: RateSource.unlimited)
        chances = OpportunitySource(stamps: [], repeats: false, origin: start)
        enter()
    }

    /// Sends a frame that is ready at `ready`, behind those before it, and returns when it has been sent.
    ///
    /// Rounded up: nothing leaves before its last bit.
    @inline(__always)
    mutating func send(wireBytes: UInt32, ready: Int64) -> Int64 {
        if ready >= time + (used > 0 ? 1 : 0) {
            time = ready
            used = 0
            if isChance { chances.skip(past: ready) }
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

    /// What `send` would return for a frame that finds the link idle and no change of the rate on its way; nil for
    /// others.
    @inline(__always)
    func steadyEnd(ofWireBytes wireBytes: UInt32, ready: Int64) -> Int64? {
        guard ready > time, ready < steadyEnd else { return nil }
        let (whole, rest) = (UInt64(wireBytes) * (8 * RateSource.bit)).quotientAndRemainder(dividingBy: steadyRate)
        guard Int64(whole) < steadyEnd - ready else { return nil }
        return ready + Int64(whole) + (rest > 0 ? 1 : 0)
    }

    /// Takes up the source of the stretch that `stretches` stands in.
    private mutating func enter() {
        switch sources[stretches.index] {
        case .rates(let source):
            rates = source
            isChance = false
        case .opportunities(let source):
            chances = source
            isChance = true
        }
    }

    @inline(never)
    private mutating func sendAcrossChanges(_ frameWork: UInt64, ready: Int64) {
        var work = frameWork
        enterStretch(ready: ready)
        if isChance { work -= min(work - 1, OpportunitySource.headerDifference) }
        for _ in 0..<Self.patience where time < Timeline.endless {
            if isChance ? sendByChances(&work) : sendByRate(&work) { return }
            enterStretch(ready: ready)
        }
        (time, used, steadyEnd) = (Timeline.endless, 0, .min)
    }

    /// Takes up the stretch that holds at `time`, for a frame that waits since `ready`.
    private mutating func enterStretch(ready: Int64) {
        guard time >= stretches.end else { return }
        stretches.advance(to: time)
        enter()
        // A chance at the very beginning of the stretch is for those that have been waiting.
        if isChance { chances.skip(past: max(time - 1, ready)) }
    }

    /// Goes on in the rate that holds at `time`; true if that is the frame's end.
    private mutating func sendByRate(_ work: inout UInt64) -> Bool {
        rates.advance(to: time)
        let end = min(rates.end, stretches.end)
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
            // Whole periods at once, but not the work's last unit: which stretch ends it must still be found.
            let allowed = UInt64((stretches.end - time) / period)
            let rounds = rates.periodWork > 0 ? min((work - 1) / rates.periodWork, allowed) : allowed
            if rounds > 0 {
                work -= rounds * rates.periodWork
                time += Int64(rounds) * period
                return false
            }
        }
        // Zero does nothing; any other rate has less time than the work needs, so that this product fits.
        work -= rate * UInt64(end - time) - used
        (time, used) = (end, 0)
        return false
    }

    /// Goes on in the chances up to the end of the stretch; true if one of them is the frame's end.
    private mutating func sendByChances(_ work: inout UInt64) -> Bool {
        steadyEnd = .min
        while chances.left < work {
            work -= chances.left
            chances.left = 0
            guard chances.nextTime < stretches.end else {
                (time, used) = (stretches.end, 0)
                return false
            }
            time = max(chances.nextTime, time)
            chances.take()
        }
        chances.left -= work
        used = 0
        return true
    }
}
