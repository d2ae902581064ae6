// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Time since the machine was started, sleep included: CLOCK_BOOTTIME. Nobody sets it, unlike the time of day.
public enum BootClock {
    /// The time now.
    public static var now: Duration {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
