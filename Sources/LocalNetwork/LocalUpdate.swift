// SPDX-License-Identifier: Apache-2.0

/// What a subscriber is told: how things stand, and what has happened since he was told last.
public struct LocalUpdate: Hashable, Sendable {
    /// How things stand.
    public internal(set) var state: LocalState
    /// What has led there, oldest first; nothing in the first update.
    public internal(set) var events: [LinkEvent] = []
    /// How many events before these were dropped, since the subscriber was too slow.
    public internal(set) var missedEvents = 0

    /// Adds what has happened since, and keeps no more than `limit` events.
    mutating func add(_ state: LocalState, _ events: [LinkEvent], limit: Int) {
        self.state = state
        self.events += events
        let excess = self.events.count - limit
        guard excess > 0 else { return }
        self.events.removeFirst(excess)
        missedEvents += excess
    }
}
