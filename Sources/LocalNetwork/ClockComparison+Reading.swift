// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem

extension ClockComparison.Reading {
    /// The clocks now.
    static func now() -> Self {
        Self(monotonic: .reading(CLOCK_MONOTONIC), boot: .reading(CLOCK_BOOTTIME), real: .reading(CLOCK_REALTIME))
    }
}
