// SPDX-License-Identifier: Apache-2.0

package import Glibc

/// The time since the machine started, including time asleep: CLOCK_BOOTTIME. It is never set, unlike the time of day.
public enum BootClock {
    /// The time now.
    public static var now: Duration { .reading(CLOCK_BOOTTIME) }
}

extension Duration {
    /// Reads a clock: clock_gettime(2).
    package static func reading(_ clock: clockid_t) -> Duration {
        var time = timespec()
        clock_gettime(clock, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
