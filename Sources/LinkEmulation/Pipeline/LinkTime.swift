// SPDX-License-Identifier: Apache-2.0

/// A moment on a clock that only goes forward; which clock, and what its zero means, is the caller's affair.
public struct LinkTime: Hashable, Comparable, Sendable {
    /// Nanoseconds since the clock's zero.
    public var nanoseconds: Int64

    /// A moment that does not come: 146 years after the clock's zero. A pipeline's times are held below it, so that
    /// no sum of them overflows.
    public static let never = LinkTime(nanoseconds: 1 << 62)

    /// Makes the moment `nanoseconds` after the clock's zero.
    @inlinable
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// Compares by order in time.
    @inlinable
    public static func < (left: LinkTime, right: LinkTime) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// The moment `duration` after this one, cut to whole nanoseconds.
    public static func + (time: LinkTime, duration: Duration) -> LinkTime {
        let (seconds, attoseconds) = duration.components
        return LinkTime(nanoseconds: time.nanoseconds + seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }

    /// How long after `earlier` this moment is.
    public static func - (time: LinkTime, earlier: LinkTime) -> Duration {
        .nanoseconds(time.nanoseconds - earlier.nanoseconds)
    }
}
