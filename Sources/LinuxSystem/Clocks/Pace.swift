// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A clock and a way to wait, so that tests need not wait.
public struct Pace: Sendable {
    /// The time since a fixed moment.
    public var now: @Sendable () -> Duration
    /// Waits for this long.
    public var sleep: @Sendable (Duration) -> Void

    /// Makes a pace.
    public init(now: @escaping @Sendable () -> Duration, sleep: @escaping @Sendable (Duration) -> Void) {
        self.now = now
        self.sleep = sleep
    }

    /// CLOCK_MONOTONIC and usleep(3).
    public static let real = Pace(
        now: { .reading(CLOCK_MONOTONIC) },
        sleep: { usleep(UInt32($0 / .microseconds(1))) }
    )
}
