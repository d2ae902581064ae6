// SPDX-License-Identifier: Apache-2.0

/// The changes of a profile's figures with time.
public struct Schedule: Hashable, Sendable {
    /// A change of the figures at a time.
    public struct Step: Hashable, Sendable {
        /// Time since the start of the schedule.
        public var at: Duration
        /// The downlink figures that override the profile's; nil for the profile's figures.
        public var downlink: Impairments?
        /// The uplink figures that override the profile's; nil for the profile's figures.
        public var uplink: Impairments?

        /// Makes a step that overrides no figures.
        public init(at: Duration) {
            self.at = at
        }
    }

    /// The steps in chronological order.
    public var steps: [Step]
    /// The period after which the schedule repeats; nil means that its last step stays valid.
    public var `repeat`: Duration?

    /// Makes a schedule of steps in chronological order.
    public init(steps: [Step], repeat: Duration? = nil) {
        self.steps = steps
        self.repeat = `repeat`
    }
}
