// SPDX-License-Identifier: Apache-2.0

import Glibc

extension ClockComparison.Reading {
    /// The clocks now.
    static func now() -> Self {
        Self(monotonic: .reading(CLOCK_MONOTONIC), boot: .reading(CLOCK_BOOTTIME), real: .reading(CLOCK_REALTIME))
    }
}

extension Duration {
    /// What a clock of clock_gettime(2) shows.
    static func reading(_ clock: clockid_t) -> Duration {
        var time = timespec()
        clock_gettime(clock, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
