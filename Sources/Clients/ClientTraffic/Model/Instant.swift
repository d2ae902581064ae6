// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// A moment, in nanoseconds since 1970 by the clock of the capture (CLOCK_REALTIME).
package struct Instant: Hashable, Comparable, Sendable {
    package var nanoseconds: Int64

    package static let distantFuture = Instant(nanoseconds: .max)
    package static let distantPast = Instant(nanoseconds: .min)
    package static let zero = Instant(nanoseconds: 0)

    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    package static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }

    /// The instant `duration` after `instant`, clamped to 64 bits: a file or a user may give any number.
    package static func + (instant: Instant, duration: Duration) -> Instant {
        let (sum, isBeyond) = instant.nanoseconds.addingReportingOverflow(duration.nanoseconds)
        return Instant(nanoseconds: isBeyond ? duration < .zero ? .min : .max : sum)
    }

    /// The time from `right` to `left`.
    package static func - (left: Instant, right: Instant) -> Duration {
        let (difference, isBeyond) = left.nanoseconds.subtractingReportingOverflow(right.nanoseconds)
        guard isBeyond else { return .nanoseconds(difference) }
        return .nanoseconds(left.nanoseconds) - .nanoseconds(right.nanoseconds)
    }
}

extension Instant: JSONConvertible {
    package var json: JSON { nanoseconds.json }

    package init?(json: JSON) {
        guard let nanoseconds = Int64(json: json) else { return nil }
        self.init(nanoseconds: nanoseconds)
    }
}
