// SPDX-License-Identifier: Apache-2.0

internal import LocalNetwork

/// The subscriptions of a monitor, and the numbering of its events.
struct EventSource {
    /// The events that a subscription receives.
    struct Interest {
        /// The targets; nil for all.
        let targets: Set<Target>?
        let wantsSamples: Bool

        /// Whether the subscription receives the event. Events without a target go to all subscriptions.
        func includes(_ event: Event) -> Bool {
            if case .sample = event.kind, !wantsSamples { return false }
            guard let targets else { return true }
            if let target = event.target { return targets.contains(target) }
            switch event.kind {
            case .causeFound(_, let children), .causeCleared(_, let children):
                return children.contains { targets.contains($0) }
            default: return true
            }
        }
    }

    private let subscribers = Subscribers<Event>()
    private var interests: [ObjectIdentifier: Interest] = [:]
    private var sequence: UInt64 = 0
    private(set) var isFinished = false

    /// Adds a subscription. It holds at most `limit` unread events: if more come, it drops the oldest, and an event
    /// reports the number of dropped events. After `finish`, a new subscription gets only the event `ended`.
    mutating func add(_ interest: Interest, limit: Int, _ now: Duration) -> Subscription<Event> {
        let policy = Subscription<Event>.Policy.bounded(limit: limit) { last, count in
            var gap = last
            (gap.kind, gap.status) = (.dropped(count), nil)
            return gap
        }
        if isFinished {
            let subscription = Subscription(policy)
            publish(.ended, nil, now, only: subscription)
            subscription.finish()
            return subscription
        }
        let subscription = subscribers.add(policy, accepts: interest.includes)
        interests[ObjectIdentifier(subscription)] = interest
        return subscription
    }

    /// Ends a subscription; returns what it was interested in, or nil if it had already ended.
    mutating func remove(_ subscription: Subscription<Event>) -> Interest? {
        subscribers.remove(subscription)
        return interests.removeValue(forKey: ObjectIdentifier(subscription))
    }

    /// Whether one of the subscriptions receives the results of single probes.
    func wantsSamples(_ subscriptions: Set<ObjectIdentifier>) -> Bool {
        subscriptions.contains { interests[$0]?.wantsSamples == true }
    }

    /// Sends an event to all subscriptions that are interested in it, or only to `subscription`.
    mutating func publish(
        _ kind: Event.Kind,
        _ status: Status?,
        _ now: Duration,
        only subscription: Subscription<Event>? = nil
    ) {
        sequence += 1
        let event = Event(kind: kind, status: status, time: now, sequence: sequence)
        if let subscription { subscription.put(event) } else { subscribers.publish(event) }
    }

    mutating func finish(_ now: Duration) {
        publish(.ended, nil, now)
        subscribers.finish()
        interests = [:]
        isFinished = true
    }
}
