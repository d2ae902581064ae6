// SPDX-License-Identifier: Apache-2.0

/// A moment, in nanoseconds since 1970 by the clock of the capture (CLOCK_REALTIME).
package struct Instant: Hashable, Comparable, Sendable {
    /// Nanoseconds since 1970.
    package var nanoseconds: Int64

    /// The moment at `nanoseconds` since 1970.
    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// Compares by time.
    package static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }

    /// The moment `duration` later.
    package static func + (instant: Instant, duration: Duration) -> Instant {
        Instant(nanoseconds: instant.nanoseconds + duration.nanoseconds)
    }

    /// The time from `right` to `left`.
    package static func - (left: Instant, right: Instant) -> Duration {
        .nanoseconds(left.nanoseconds - right.nanoseconds)
    }
}

extension Duration {
    /// The duration in whole nanoseconds.
    var nanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }
}
