// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem

/// Detects from three clocks that the machine was suspended or that its wall clock was set.
struct ClockJumpDetector: Hashable, Sendable {
    /// The clocks of clock_gettime(2), read one after the other.
    struct Reading: Hashable, Sendable {
        /// CLOCK_MONOTONIC, which stops during a suspension.
        var monotonic: Duration
        /// CLOCK_BOOTTIME, which continues.
        var boot: Duration
        /// CLOCK_REALTIME, which may be set.
        var real: Duration

        static func now() -> Self {
            Self(monotonic: .reading(CLOCK_MONOTONIC), boot: .reading(CLOCK_BOOTTIME), real: .reading(CLOCK_REALTIME))
        }
    }

    /// The largest difference that is ignored: it may result from reading the clocks in turn, or from slewing.
    private static let tolerance = Duration.milliseconds(500)

    private var last: Reading

    init(_ reading: Reading) {
        last = reading
    }

    /// Compares a reading with the previous one, and stores it for the next call.
    mutating func compare(_ reading: Reading) -> [LinkEvent.Change] {
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
