// SPDX-License-Identifier: Apache-2.0

/// The present state, and the events since the last update.
public struct LocalUpdate: Hashable, Sendable {
    /// The present state.
    public internal(set) var state: LocalState
    /// The events since the last update, oldest first; empty in the first update.
    public internal(set) var events: [LinkEvent] = []
    /// How many events before these were dropped because the subscriber was too slow.
    public internal(set) var missedEvents = 0

    /// Merges updates that are not read yet into one with at most `limit` events.
    static func coalescing(limit: Int) -> Subscription<LocalUpdate>.Policy {
        .coalescing { waiting, new in
            var update = waiting ?? LocalUpdate(state: new.state)
            update.state = new.state
            update.events += new.events
            let excess = update.events.count - limit
            guard excess > 0 else { return update }
            update.events.removeFirst(excess)
            update.missedEvents += excess
            return update
        }
    }
}
