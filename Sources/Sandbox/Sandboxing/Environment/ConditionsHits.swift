// SPDX-License-Identifier: Apache-2.0

internal import ClientVerdicts
internal import LinkProfiles
internal import PacketPump

/// Counts how many packets the conditions of a run have met, and each of their parts.
struct ConditionsHits {
    /// The origin of conditions: who has put them into effect.
    enum Origin: Hashable {
        /// The command line of the run.
        case start
        /// A step of a scenario, by its label: of the run's scenario, or of one that a client plays.
        case step(String, isRequestedInside: Bool)
        /// A rule of the run, for this traffic.
        case rule(String)
        /// A client of the control socket, by its name; nil if that is unknown.
        case client(String?)

        fileprivate var isRequestedInside: Bool {
            switch self {
            case .start, .rule: false
            case .step(_, let isRequestedInside): isRequestedInside
            case .client: true
            }
        }
    }

    /// Conditions, and the interface on which they were in effect.
    struct Conditions: Hashable {
        var origin: Origin
        /// The interface, if each has conditions of its own; otherwise nil.
        var path: String?
        var profile: Profile

        /// Whether the conditions have parts whose packets are counted.
        var hasParts: Bool { !profile.faults.isEmpty || profile.schedule != nil || origin.name(profile) != nil }
    }

    /// The counts of conditions, summed over all the times that they were in effect.
    private struct Count {
        /// The number of packets; nil if some may have passed uncounted.
        var packets: UInt64? = 0
        var faults: [(connections: UInt64, packets: UInt64)]
        var scheduleSteps: [UInt64]
        var time = Duration.zero

        init(_ profile: Profile) {
            faults = Array(repeating: (0, 0), count: profile.faults.count)
            let steps = profile.schedule?.steps.count ?? 0
            scheduleSteps = [UInt64](repeating: 0, count: min(steps, CounterPage.maximumScheduleSteps))
        }

        mutating func add(_ counters: CounterPage.Reading) {
            if let known = packets { packets = known &+ counters.packets }
            for index in faults.indices {
                faults[index].connections &+= counters.faultConnections[index]
                faults[index].packets &+= counters.faults[index]
            }
            for index in scheduleSteps.indices { scheduleSteps[index] &+= counters.scheduleSteps[index] }
        }
    }

    /// The most conditions that are remembered when clients add more: they may change conditions at will.
    private static let maximum = 500

    private var order: [Conditions] = []
    private var counts: [Conditions: Count] = [:]

    /// Adds the counts of conditions that were in effect for `time`.
    ///
    /// - Parameters:
    ///   - counters: the pump's counters for each interface of the conditions.
    ///   - seesAll: whether all packets of these interfaces were counted.
    mutating func add(
        _ counters: [CounterPage.Reading],
        of conditions: Conditions,
        during time: Duration,
        seesAll: Bool
    ) {
        if counts[conditions] == nil {
            guard order.count < Self.maximum || !conditions.origin.isRequestedInside else { return }
            order.append(conditions)
        }
        var count = counts[conditions] ?? Count(conditions.profile)
        for reading in counters { count.add(reading) }
        if !seesAll { count.packets = nil }
        count.time += time
        counts[conditions] = count
    }

    /// The parts in the order in which they took effect.
    var parts: [ConditionsPart] {
        order.flatMap { conditions in counts[conditions].map { Self.parts(of: conditions, $0) } ?? [] }
    }

    private static func parts(of conditions: Conditions, _ count: Count) -> [ConditionsPart] {
        let (profile, origin) = (conditions.profile, conditions.origin)
        let place = conditions.path.map { " on \($0)" } ?? ""
        func part(_ name: String, _ packets: UInt64, _ reason: @autoclosure () -> String) -> ConditionsPart {
            ConditionsPart(
                name,
                packets: packets,
                reason: packets > 0 ? nil : reason(),
                isRequestedInside: origin.isRequestedInside
            )
        }
        var parts: [ConditionsPart] = []
        if let name = origin.name(profile), let packets = count.packets {
            parts.append(part(name + place, packets, "nothing was sent or received in the \(count.time.words) of it"))
        }
        let owner = origin.owner(profile) + place
        for (index, (fault, counted)) in zip(profile.faults, count.faults).enumerated() {
            let reason = fault.reasonForNone(connections: Int(clamping: counted.connections))
            parts.append(part("fault \(index + 1)\(owner) (\(fault.words))", counted.packets, reason))
        }
        for (index, (step, packets)) in zip(profile.schedule?.steps ?? [], count.scheduleSteps).enumerated() {
            let reason =
                count.time < step.at
                ? "the profile was in effect for \(count.time.words)" : "nothing was sent or received in it"
            parts.append(part("step \(index + 1) of the schedule\(owner) (from \(step.at.text) on)", packets, reason))
        }
        return parts
    }
}

extension ConditionsHits.Origin {
    /// The name of conditions of this origin as a part; nil if they are no part of their own.
    fileprivate func name(_ profile: Profile) -> String? {
        switch self {
        case .start: nil
        case .step(let label, _): "step '\(label)'"
        case .rule(let traffic): "rule '\(traffic)'"
        // Conditions without impairments usually meet no packet: a test that ends restores them.
        case .client(let client):
            profile.impairsNothing ? nil : "\"\(profile.name)\", set by \(client ?? "a client"),"
        }
    }

    /// The words after a fault's number that name the conditions that it belongs to.
    fileprivate func owner(_ profile: Profile) -> String {
        switch self {
        case .start: ""
        case .step(let label, _): " of step '\(label)'"
        case .rule(let traffic): " of rule '\(traffic)'"
        case .client: " of \"\(profile.name)\""
        }
    }
}

extension Profile {
    /// Whether the profile leaves packets as they are.
    var impairsNothing: Bool { lanes.isEmpty && networkKeys.isEmpty }
}

extension ConditionsPart {
    /// The competing traffic of a lane; nil if there was none.
    init?(competitionOn lane: Lane, _ counters: [LaneCounters]) {
        var sum = LaneCounters.Competition()
        for each in counters { sum.add(each) }
        guard let percent = sum.percent else { return nil }
        self.init("competing traffic of the \(lane)", packets: sum.packets, reason: nil)
        effect = "packets waited behind others: \(percent) % of the delay"
    }
}
