// SPDX-License-Identifier: Apache-2.0

/// Events of a monitor. Each iteration is a subscription of its own: it begins with how things stand, and ends with the
/// task, with the iterator, or with the monitor, which it keeps alive.
public struct Events: AsyncSequence, Sendable {
    let monitor: ReachabilityMonitor
    let targets: [Target]?
    let wantsSamples: Bool
    let limit: Int

    /// Subscribes.
    public func makeAsyncIterator() -> Iterator {
        Iterator(subscription: Subscription(self))
    }

    /// One subscription.
    public struct Iterator: AsyncIteratorProtocol {
        let subscription: Subscription

        /// Waits for the next event; nil once there will be none.
        public mutating func next() async -> Event? {
            let event = await subscription.mailbox.next()
            return Task.isCancelled ? nil : event
        }
    }

    final class Subscription: Sendable {
        let mailbox: EventMailbox
        private let monitor: ReachabilityMonitor
        private let number: Int

        init(_ events: Events) {
            mailbox = EventMailbox(limit: events.limit)
            monitor = events.monitor
            number = monitor.join(events.targets, wantsSamples: events.wantsSamples, mailbox)
        }

        deinit { monitor.leave(number) }
    }
}
