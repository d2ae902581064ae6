// SPDX-License-Identifier: Apache-2.0

import ClientTraffic
import Reachability
import Testing

@testable import linkcond

/// What a monitor beside a command adds to the events of the run.
struct MonitorRecordTests {
    /// CLOCK_MONOTONIC, which dates the monitor's events, stops in a suspend; the run's clock does not.
    @Test func datesVerdictsByTheRunAfterASuspend() {
        var suspended: Int64 = 0
        let record = MonitorRecord(descriptor: -1, Policy()) { 100 + suspended }
        #expect(record.instant(.nanoseconds(7)) == Instant(nanoseconds: 107))
        suspended = 3_600_000_000_000
        #expect(record.instant(.nanoseconds(8)) == Instant(nanoseconds: 3_600_000_000_108))
    }
}
