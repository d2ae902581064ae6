// SPDX-License-Identifier: Apache-2.0

public import LinkProfiles

/// The conditions of one lane in a pipeline: impairments, their changes with time, and the recordings for both.
public struct LaneConditions: Sendable {
    /// A change of the figures at a time.
    public struct Step: Hashable, Sendable {
        /// Time since the start of the pipeline, or of the repetition.
        public var at: Duration
        /// The figures that override the base; the base's figures apply where they are absent.
        public var overrides: Impairments

        /// Makes a step.
        public init(at: Duration, overrides: Impairments) {
            self.at = at
            self.overrides = overrides
        }
    }

    /// The figures until the first step.
    public var base: Impairments
    /// The steps in chronological order; a step that is out of order replaces all preceding steps with later times.
    public var steps: [Step]
    /// The period after which the steps repeat; nil, or a time not after the last step, means that the last step stays
    /// valid.
    public var period: Duration?
    /// The recordings that the base and the steps refer to. A missing recording does not limit the rate.
    public var traces: [TraceReference: Trace]

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

    /// Makes the conditions of one lane of `profile`.
    public init(_ profile: Profile, _ lane: Lane, traces: [TraceReference: Trace] = [:]) {
        self.init(
            profile.impairments(of: lane) ?? Impairments(),
            steps: (profile.schedule?.steps ?? []).map { step in
                Step(at: step.at, overrides: profile.overrides(of: lane, in: step) ?? Impairments())
            },
            period: profile.schedule?.repeat,
            traces: traces
        )
    }

    /// The figures of consecutive intervals, each with its start in nanoseconds; the first starts at 0.
    package var intervals: [(start: Int64, impairments: Impairments)] {
        var result: [(start: Int64, impairments: Impairments)] = [(0, base)]
        for step in steps where step.at.nanoseconds >= 0 {
            let start = step.at.nanoseconds
            result.removeAll { $0.start >= start }
            result.append((start, step.overrides.overriding(base)))
        }
        return result
    }
}
