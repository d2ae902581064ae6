// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// Counts packets for each fault and schedule step of the conditions in use, since these took effect.
struct HitCounter {
    /// The packets that arrived in each direction; DNS queries count as uplink.
    struct Arrivals {
        var uplink: UInt64 = 0
        var downlink: UInt64 = 0

        init() {}

        init(_ counters: UnsafePointer<LaneCounters>) {
            for lane in Lane.allCases {
                let arrived = counters[lane.rawValue].arrived
                if lane.direction == .downlink { downlink &+= arrived } else { uplink &+= arrived }
            }
        }
    }

    /// The packets that each fault has hit, and the connections that it has ended without a packet; nil until
    /// conditions with faults are used.
    private(set) var faults: [UInt64]?
    /// The arrivals when the conditions took effect.
    private var before = Arrivals()
    private var schedule: ScheduleHits?

    /// The time at which to call ``advance(to:_:)``; `.max` for never.
    @inline(__always) var nextStep: Int64 { schedule?.next ?? .max }

    /// Starts to count for `conditions`.
    mutating func use(_ conditions: PreparedPipelines, after arrivals: Arrivals) {
        // Zeros replace the published counts of earlier faults.
        if conditions.faults != nil || faults != nil {
            faults = [UInt64](repeating: 0, count: Fault.mostInProfile)
        }
        schedule = conditions.schedule.map { ScheduleHits($0, start: conditions.start, arrivals) }
        before = arrivals
    }

    /// Counts a hit of a fault on a packet, or on a connection without a packet.
    @inline(__always) mutating func hit(_ mark: FaultMark) {
        precondition(mark.number > 0 && Int(mark.number) <= Fault.mostInProfile, "a fault of no profile")
        faults?[Int(mark.number) - 1] &+= 1
    }

    /// Moves to the step of the schedule that is current at `now`; later packets count for that step.
    mutating func advance(to now: Int64, _ arrivals: Arrivals) { schedule?.advance(to: now, arrivals) }

    /// The packets that came since the conditions took effect.
    func packets(of arrivals: Arrivals) -> UInt64 {
        (arrivals.uplink &- before.uplink) &+ (arrivals.downlink &- before.downlink)
    }

    /// The packets of each step of the schedule; nil without a schedule.
    func scheduleSteps(_ arrivals: Arrivals) -> [UInt64]? { schedule?.counts(with: arrivals) }
}

/// Counts the packets that come in each step of a schedule.
private struct ScheduleHits {
    private let schedule: Schedule
    private let start: Int64
    /// The packets of each step until the current step began; only the first steps are counted.
    private var counts: [UInt64]
    /// The index of the current step; nil before the first.
    private var current: Int?
    /// The arrivals when the current step began.
    private var before: HitCounter.Arrivals
    /// The time at which the next step begins; `.max` for never.
    private(set) var next: Int64

    init(_ schedule: Schedule, start: Int64, _ arrivals: HitCounter.Arrivals) {
        (self.schedule, self.start, before) = (schedule, start, arrivals)
        counts = [UInt64](repeating: 0, count: min(schedule.steps.count, CounterPage.maximumScheduleSteps))
        next = schedule.steps.first.map { start + $0.at.nanoseconds } ?? .max
        advance(to: start, arrivals)
    }

    mutating func advance(to now: Int64, _ arrivals: HitCounter.Arrivals) {
        guard now >= next else { return }
        counts = counts(with: arrivals)
        before = arrivals
        // The same rule as in `Timeline` of LinkEmulation.
        let period = schedule.repeat?.nanoseconds ?? 0
        let isRepeated = period > schedule.steps.last?.at.nanoseconds ?? 0
        let round = isRepeated ? start + (now - start) / period * period : start
        let following = schedule.steps.firstIndex { $0.at.nanoseconds > now - round } ?? schedule.steps.count
        current = following == 0 ? nil : following - 1
        if following < schedule.steps.count {
            next = round + schedule.steps[following].at.nanoseconds
        } else {
            // A repeated schedule starts its next round, with the profile's own figures or the first step.
            next = isRepeated ? round + period : .max
        }
    }

    /// The counts including the packets since the current step began, in the directions that the step changes.
    func counts(with arrivals: HitCounter.Arrivals) -> [UInt64] {
        guard let current, current < counts.count else { return counts }
        var counts = counts
        let step = schedule.steps[current]
        let isForBoth = step.uplink == nil && step.downlink == nil
        if step.uplink != nil || isForBoth { counts[current] &+= arrivals.uplink &- before.uplink }
        if step.downlink != nil || isForBoth { counts[current] &+= arrivals.downlink &- before.downlink }
        return counts
    }
}
