// SPDX-License-Identifier: Apache-2.0

/// The changes of a profile's figures with time.
public struct Schedule: Hashable, Sendable {
    /// A time from which other figures are valid.
    public struct Step: Hashable, Sendable {
        /// Time since the start of the schedule.
        public var at: Duration
        /// Downlink figures that override the profile's own; nil means the profile's.
        public var downlink: Impairments?
        /// Uplink figures that override the profile's own; nil means the profile's.
        public var uplink: Impairments?

        /// Makes a step with the profile's own figures.
        public init(at: Duration) {
            self.at = at
        }
    }

    /// The steps in order of time.
    public var steps: [Step]
    /// The period after which the schedule repeats; nil means that its last step stays valid.
    public var `repeat`: Duration?

    /// Makes a schedule of steps in order of time.
    public init(steps: [Step], repeat: Duration? = nil) {
        self.steps = steps
        self.repeat = `repeat`
    }
}
