// SPDX-License-Identifier: Apache-2.0

/// The present state, and the events since the last update.
public struct LocalUpdate: Hashable, Sendable {
    /// The present state.
    public internal(set) var state: LocalState
    /// The events since the last update, oldest first; empty in the first update.
    public internal(set) var events: [LinkEvent] = []
    /// The number of events before these that were dropped because the subscriber was too slow.
    public internal(set) var missedEvents = 0

    /// A policy that merges unread updates into one with at most `limit` events.
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

/// Updates of a watcher. Each iteration is a separate subscription: it starts with the present state, and ends when the
/// watcher stops or the task is cancelled. An iteration keeps the watcher alive.
public struct LocalUpdates: AsyncSequence, Sendable {
    let watcher: LocalWatcher
    let limit: Int

    /// Subscribes.
    public func makeAsyncIterator() -> Iterator {
        let subscription = watcher.subscribers.add(LocalUpdate.coalescing(limit: limit))
        return Iterator(
            active: ActiveSubscription(subscription) { [watcher] in watcher.subscribers.remove(subscription) }
        )
    }

    /// One subscription.
    public struct Iterator: AsyncIteratorProtocol {
        let active: ActiveSubscription<LocalUpdate>

        /// Waits for the next update; nil once the subscription has ended.
        public mutating func next() async -> LocalUpdate? {
            await active.subscription.next()
        }
    }
}
