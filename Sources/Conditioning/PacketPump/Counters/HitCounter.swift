// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// Counts what the parts of the conditions in use have met since they are in use.
struct HitCounter {
    /// Packets that came, by direction; those to name servers are of the uplink.
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

    /// The packets that each fault has lost, and the connections that it has ended without one; nil as long as no
    /// conditions had faults.
    private(set) var faults: [UInt64]?
    /// The counts before.
    private var before = Arrivals()
    private var schedule: ScheduleHits?

    /// The time at which to call ``advance(to:_:)``; `.max` for never.
    @inline(__always) var nextStep: Int64 { schedule?.next ?? .max }

    /// Counts for other conditions from now on.
    mutating func use(_ conditions: PreparedPipelines, after arrivals: Arrivals) {
        // Zeros are published, too, where there were faults before.
        if conditions.faults != nil || faults != nil {
            faults = [UInt64](repeating: 0, count: Fault.mostInProfile)
        }
        schedule = conditions.schedule.map { ScheduleHits($0, start: conditions.start, arrivals) }
        before = arrivals
    }

    /// A fault was done to a packet, or to a connection without one.
    @inline(__always) mutating func hit(_ mark: FaultMark) {
        precondition(mark.number > 0 && Int(mark.number) <= Fault.mostInProfile, "a fault of no profile")
        faults?[Int(mark.number) - 1] &+= 1
    }

    /// Counts what comes from now on for the step of the schedule that holds now.
    mutating func advance(to now: Int64, _ arrivals: Arrivals) { schedule?.advance(to: now, arrivals) }

    /// The packets that came since the conditions are in use.
    func packets(of arrivals: Arrivals) -> UInt64 {
        (arrivals.uplink &- before.uplink) &+ (arrivals.downlink &- before.downlink)
    }

    /// The packets of each step of the schedule; nil without one.
    func scheduleSteps(_ arrivals: Arrivals) -> [UInt64]? { schedule?.counts(with: arrivals) }
}

/// Counts the packets that come in each step of a schedule.
private struct ScheduleHits {
    private let schedule: Schedule
    private let start: Int64
    /// The counts of the steps: only the first ones are counted.
    private var counts: [UInt64]
    /// The step that holds; nil before the first.
    private var current: Int?
    /// The counts before that.
    private var before: HitCounter.Arrivals
    /// The time at which the next begins; `.max` for never.
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
        // As `Timeline` of LinkEmulation has it.
        let period = schedule.repeat?.nanoseconds ?? 0
        let isRepeated = period > schedule.steps.last?.at.nanoseconds ?? 0
        let round = isRepeated ? start + (now - start) / period * period : start
        let following = schedule.steps.firstIndex { $0.at.nanoseconds > now - round } ?? schedule.steps.count
        current = following == 0 ? nil : following - 1
        if following < schedule.steps.count {
            next = round + schedule.steps[following].at.nanoseconds
        } else {
            // The profile's own figures hold, or the first step.
            next = isRepeated ? round + period : .max
        }
    }

    /// Counts with what has come since the current step holds, in the directions that it is about.
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
