// SPDX-License-Identifier: Apache-2.0

/// Tells from three clocks whether the machine has slept, or somebody has set the clock. Pure.
struct ClockComparison: Hashable, Sendable {
    /// The clocks of clock_gettime(2), read one after the other.
    struct Reading: Hashable, Sendable {
        /// CLOCK_MONOTONIC, which stands still while the machine sleeps.
        var monotonic: Duration
        /// CLOCK_BOOTTIME, which does not.
        var boot: Duration
        /// CLOCK_REALTIME, which may be set.
        var real: Duration
    }

    /// What is less comes from reading the clocks one after the other, and from a clock being slewed.
    private static let tolerance = Duration.milliseconds(500)

    private var last: Reading

    init(_ reading: Reading) {
        last = reading
    }

    /// Compares with the reading before.
    mutating func take(_ reading: Reading) -> [LinkEvent.Change] {
        let passed = reading.boot - last.boot
        let asleep = passed - (reading.monotonic - last.monotonic)
        let set = reading.real - last.real - passed
        last = reading
        var changes: [LinkEvent.Change] = []
        if asleep > Self.tolerance { changes.append(.resumed(after: asleep)) }
        if set > Self.tolerance || set < .zero - Self.tolerance { changes.append(.clockSet(by: set)) }
        return changes
    }
}
