// SPDX-License-Identifier: Apache-2.0

public import LinkProfiles

/// What a pipeline does to the packets of one lane: impairments, how they change with time, and the recordings that
/// they name.
public struct LaneConditions: Sendable {
    /// A moment from which other figures hold.
    public struct Step: Hashable, Sendable {
        /// Time since the start of the pipeline, and since each repetition's.
        public var at: Duration
        /// Figures that override the base's; absent means the base's.
        public var overrides: Impairments

        /// Makes a step.
        public init(at: Duration, overrides: Impairments) {
            self.at = at
            self.overrides = overrides
        }
    }

    /// What holds until the first step.
    public var base: Impairments
    /// The steps in order of time; one that is out of order takes the place of those that are later.
    public var steps: [Step]
    /// After how long the steps start again; absent, or not behind the last step, means that the last one holds.
    public var period: Duration?
    /// The recordings that the base and the steps name. A name that is missing here holds nothing back.
    public var traces: [TraceReference: Trace]
    /// Added to every delay, the steps' too: that of the lane for DNS.
    public var addedDelay: Duration = .zero

    /// Makes conditions of one lane.
    public init(
        _ base: Impairments,
        steps: [Step] = [],
        period: Duration? = nil,
        traces: [TraceReference: Trace] = [:]
    ) {
        self.base = base
        self.steps = steps
        self.period = period
        self.traces = traces
    }

    /// Makes the conditions of one direction of `profile`; with `isDNS`, of the lane for DNS beside the uplink.
    public init(_ profile: Profile, _ direction: Direction, isDNS: Bool = false, traces: [TraceReference: Trace] = [:])
    {
        let isDownlink = direction == .downlink
        self.init(
            (isDownlink ? profile.downlink : profile.uplink) ?? Impairments(),
            steps: (profile.schedule?.steps ?? []).map { step in
                Step(at: step.at, overrides: (isDownlink ? step.downlink : step.uplink) ?? Impairments())
            },
            period: profile.schedule?.repeat,
            traces: traces
        )
        if isDNS { addedDelay = profile.dns?.delay ?? .zero }
    }

    /// The figures that hold one after the other, each with its start in nanoseconds; the first starts at 0.
    var stretches: [(start: Int64, impairments: Impairments)] {
        var result: [(start: Int64, impairments: Impairments)] = [(0, base)]
        for step in steps where step.at.nanoseconds >= 0 {
            let start = step.at.nanoseconds
            result.removeAll { $0.start >= start }
            result.append((start, step.overrides.overriding(base)))
        }
        guard addedDelay > .zero else { return result }
        return result.map { start, impairments in
            var slower = impairments
            slower.delay = (impairments.delay ?? .zero) + addedDelay
            return (start, slower)
        }
    }
}
