// SPDX-License-Identifier: Apache-2.0

/// Who is told of events.
struct Subscriber {
    /// The targets of interest; nil for all.
    let targets: Set<Target>?
    /// Whether single probes are of interest.
    let wantsSamples: Bool
    private let continuation: AsyncStream<Event>.Continuation
    private var dropped = 0

    init(_ targets: Set<Target>?, wantsSamples: Bool, _ continuation: AsyncStream<Event>.Continuation) {
        self.targets = targets
        self.wantsSamples = wantsSamples
        self.continuation = continuation
    }

    /// Whether an event is for this one; those that are about no target are for all.
    func wants(_ event: Event) -> Bool {
        if case .sample = event.kind, !wantsSamples { return false }
        guard let targets else { return true }
        if let target = event.target { return targets.contains(target) }
        switch event.kind {
        case .causeFound(_, let children), .causeCleared(_, let children):
            return children.contains { targets.contains($0) }
        default: return true
        }
    }

    /// Tells; where the subscriber is too slow, the oldest goes, and is counted.
    mutating func tell(_ event: Event) {
        switch continuation.yield(event) {
        case .dropped: dropped += 1
        case .enqueued where dropped > 0:
            var gap = event
            (gap.kind, gap.status) = (.dropped(dropped), nil)
            dropped = 0
            if case .dropped = continuation.yield(gap) { dropped += 1 }
        default: break
        }
    }

    func finish() { continuation.finish() }
}

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
        fileprivate let subscription: Subscription

        /// Waits for the next event; nil once there will be none.
        public mutating func next() async -> Event? {
            if Task.isCancelled { return nil }
            var iterator = subscription.stream.makeAsyncIterator()
            let event = await iterator.next()
            return Task.isCancelled ? nil : event
        }
    }

    fileprivate final class Subscription: Sendable {
        let stream: AsyncStream<Event>
        private let monitor: ReachabilityMonitor
        private let number: Int

        init(_ events: Events) {
            let (stream, continuation) = AsyncStream.makeStream(
                of: Event.self,
                bufferingPolicy: .bufferingNewest(Swift.max(events.limit, 1))
            )
            self.stream = stream
            monitor = events.monitor
            number = monitor.join(events.targets, wantsSamples: events.wantsSamples, continuation)
        }

        deinit { monitor.leave(number) }
    }
}
