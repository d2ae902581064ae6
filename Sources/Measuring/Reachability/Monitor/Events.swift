// SPDX-License-Identifier: Apache-2.0

/// Events of a monitor. Each iteration is a subscription of its own: it begins with the status of each target, and
/// ends with the task, the iterator or the monitor, which it keeps alive.
public struct Events: AsyncSequence, Sendable {
    let monitor: ReachabilityMonitor
    let targets: [Target]?
    let wantsSamples: Bool
    let limit: Int

    /// Subscribes.
    public func makeAsyncIterator() -> Iterator {
        Iterator(active: monitor.subscribe(to: targets, wantsSamples: wantsSamples, limit: limit))
    }

    /// One subscription.
    public struct Iterator: AsyncIteratorProtocol {
        let active: ActiveSubscription<Event>

        /// Waits for the next event; nil once there will be none.
        public mutating func next() async -> Event? {
            let event = await active.subscription.next()
            return Task.isCancelled ? nil : event
        }
    }
}
