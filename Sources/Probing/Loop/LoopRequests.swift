// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What other threads ask of the probe loop.
struct LoopRequests: Sendable {
    var starts: [ActiveProbe] = []
    var cancellations: [ActiveProbe] = []
}

/// The loop's counters, for other threads to read.
final class PublishedCounters: Sendable {
    private let counters = Mutex(ProbeCounters())

    var value: ProbeCounters {
        get { counters.withLock { $0 } }
        set { counters.withLock { $0 = newValue } }
    }
}
