// SPDX-License-Identifier: Apache-2.0

/// A time on a monotonic clock of the caller's choice.
public struct LinkTime: Hashable, Comparable, Sendable {
    /// Nanoseconds since the zero of the clock.
    public var nanoseconds: Int64

    /// A time that is never reached: 146 years after the zero of the clock. A pipeline clamps its times to it, so that
    /// sums do not overflow.
    public static let never = LinkTime(nanoseconds: 1 << 62)

    /// Makes the time `nanoseconds` after the zero of the clock.
    @inlinable
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// Whether `left` is earlier than `right`.
    @inlinable
    public static func < (left: LinkTime, right: LinkTime) -> Bool {
        left.nanoseconds < right.nanoseconds
    }
}
