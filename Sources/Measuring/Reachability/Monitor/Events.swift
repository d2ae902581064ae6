// SPDX-License-Identifier: Apache-2.0

/// Events of a monitor. Each iterator is a separate subscription, which starts with the status of each target, and ends
/// with the task, the iterator or the monitor. An iterator keeps the monitor alive.
public struct Events: AsyncSequence, Sendable {
    let monitor: ReachabilityMonitor
    let targets: [Target]?
    let wantsSamples: Bool
    let limit: Int

    /// Subscribes to the events.
    public func makeAsyncIterator() -> Iterator {
        Iterator(active: monitor.subscribe(to: targets, wantsSamples: wantsSamples, limit: limit))
    }

    /// One subscription.
    public struct Iterator: AsyncIteratorProtocol {
        let active: ActiveSubscription<Event>

        /// Waits for the next event; nil after the last one.
        public mutating func next() async -> Event? {
            let event = await active.subscription.next()
            return Task.isCancelled ? nil : event
        }
    }
}
