// SPDX-License-Identifier: Apache-2.0

/// Updates of a watcher. Each iteration is a subscription of its own: it begins with the present state, and ends when
/// the watcher stops or the task is cancelled. Meanwhile it keeps the watcher alive.
public struct LocalUpdates: AsyncSequence, Sendable {
    let watcher: LocalWatcher
    let limit: Int

    /// Subscribes.
    public func makeAsyncIterator() -> Iterator {
        Iterator(subscription: Subscription(watcher, limit: limit))
    }

    /// One subscription.
    public struct Iterator: AsyncIteratorProtocol {
        let subscription: Subscription

        /// Waits for the next update; nil once there will be none.
        public mutating func next() async -> LocalUpdate? {
            await subscription.mailbox.next()
        }
    }

    final class Subscription: Sendable {
        let mailbox: UpdateMailbox
        private let watcher: LocalWatcher

        init(_ watcher: LocalWatcher, limit: Int) {
            self.watcher = watcher
            mailbox = watcher.audience.join(limit: limit)
        }

        deinit { watcher.audience.leave(mailbox) }
    }
}
