// SPDX-License-Identifier: Apache-2.0

/// How a profile's figures change with time.
public struct Schedule: Hashable, Sendable {
    /// A moment from which other figures hold.
    public struct Step: Hashable, Sendable {
        /// Time since the start of the schedule.
        public var at: Duration
        /// Figures that override the profile's own; absent means the profile's.
        public var downlink: Impairments?
        /// Figures that override the profile's own; absent means the profile's.
        public var uplink: Impairments?

        /// Makes a step back to the profile's own figures.
        public init(at: Duration) {
            self.at = at
        }
    }

    /// The steps in order of time.
    public var steps: [Step]
    /// After how long the schedule starts again; absent means that its last step holds.
    public var `repeat`: Duration?

    /// Makes a schedule of steps in order of time.
    public init(steps: [Step], repeat: Duration? = nil) {
        self.steps = steps
        self.repeat = `repeat`
    }
}
