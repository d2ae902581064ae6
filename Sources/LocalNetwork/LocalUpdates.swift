// SPDX-License-Identifier: Apache-2.0

/// Updates of a watcher. Each iteration is a subscription of its own: it begins with the present state, and ends when
/// the watcher stops or the task is cancelled. Meanwhile it keeps the watcher alive.
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

        /// Waits for the next update; nil once there will be none.
        public mutating func next() async -> LocalUpdate? {
            await active.subscription.next()
        }
    }
}
