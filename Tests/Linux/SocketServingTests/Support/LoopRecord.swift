// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import Synchronization
import Testing

/// What happened on a loop, in its order, for a test on another thread.
final class LoopRecord<Event: Sendable>: Sendable {
    private let events = Mutex<[Event]>([])
    private let changed: EventFD

    init() throws { changed = try EventFD() }

    func add(_ event: Event) {
        events.withLock { $0.append(event) }
        changed.signal()
    }

    var all: [Event] { events.withLock { $0 } }

    /// The first ones, for which it waits a minute.
    func first(_ count: Int) throws -> [Event] {
        let start = ContinuousClock.now
        while all.count < count {
            try #require(start.duration(to: .now) < .seconds(60), "there are only \(all)")
            Wait.untilReadable([changed.descriptor], limit: .seconds(1))
            changed.clear()
        }
        return Array(all.prefix(count))
    }
}
