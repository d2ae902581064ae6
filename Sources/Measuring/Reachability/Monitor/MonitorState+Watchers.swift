// SPDX-License-Identifier: Apache-2.0

internal import HeapModule
internal import LocalNetwork

/// Subscriptions, single queries, and the time for which targets stay watched.
extension MonitorState {
    /// How long a target is watched after a query, in case another query follows.
    private static let linger = Duration.seconds(180)
    /// How long a gateway is still watched after no path leads through it any more.
    private static let gatewayLinger = Duration.seconds(1)

    /// Adds a subscription to `targets`, or to all if nil; its first events are the status of each target.
    mutating func join(_ targets: [Target]?, wantsSamples: Bool, limit: Int, _ now: Duration) -> Subscription<Event> {
        let interest = EventSource.Interest(targets: targets.map(Set.init), wantsSamples: wantsSamples)
        let subscription = events.add(interest, limit: limit, now)
        guard !events.isFinished else { return subscription }
        guard let targets else {
            for entry in ordered where !entry.isImplicit {
                events.publish(.initial, entry.watch.status, now, only: subscription)
            }
            return subscription
        }
        let fresh = targets.count { entries[$0] == nil }
        for (index, target) in targets.enumerated() {
            // The first probes of many new targets are spread over an interval, so that they are not sent together.
            let splay = fresh > 64 ? policy.interval * Double(index) / Double(targets.count) : .zero
            let entry = watch(target, now, from: now + splay)
            guard entry.subscribers.insert(ObjectIdentifier(subscription)).inserted else { continue }
            entry.isImplicit = false
            events.publish(.initial, entry.watch.status, now, only: subscription)
        }
        return subscription
    }

    mutating func leave(_ subscription: Subscription<Event>, _ now: Duration) {
        guard let interest = events.remove(subscription) else { return }
        for target in interest.targets ?? [] { entries[target]?.subscribers.remove(ObjectIdentifier(subscription)) }
        forgetUnwatched(now)
    }

    mutating func query(_ target: Target, _ now: Duration) -> Status {
        if events.isFinished { return Status(target, at: now) }
        let entry = watch(target, now, from: now)
        entry.lingersUntil = now + Self.linger
        forgetDue = min(forgetDue ?? entry.lingersUntil, entry.lingersUntil)
        return entry.watch.status
    }

    mutating func end(_ now: Duration) {
        events.finish(now)
        for entry in entries.values { entry.isForgotten = true }
        entries = [:]
        causes = [:]
        turns = Heap()
        (judgementDue, forgetDue) = (nil, nil)
    }

    mutating func watch(_ target: Target, _ now: Duration, from first: Duration) -> WatchedTarget {
        if let entry = entries[target] { return entry }
        targetCount += 1
        let entry = WatchedTarget(targetCount, Watch(target, policy, at: now), lingersUntil: now)
        entries[target] = entry
        change(entry, now) { watch, step in watch.begin(at: first, &step) }
        // If this host counts as offline, the judgement of the new target has to be suspended, too.
        if !policy.anchors.isEmpty { judgementDue = judgementDue ?? now }
        return entry
    }

    /// Stops watching targets without subscriptions, and gateways through which no watched target's path leads.
    mutating func forgetUnwatched(_ now: Duration) {
        var gateways: Set<Target> = []
        var unwatched: [Target] = []
        forgetDue = nil
        for (target, entry) in entries where !entry.isImplicit {
            if entry.subscribers.isEmpty, entry.lingersUntil <= now {
                unwatched.append(target)
                continue
            }
            if entry.subscribers.isEmpty { forgetDue = min(forgetDue ?? entry.lingersUntil, entry.lingersUntil) }
            if let gateway = entry.watch.status.path?.gatewayTarget { gateways.insert(gateway) }
        }
        unwatched += entries.filter { $1.isImplicit && !gateways.contains($0) }.keys
        for target in unwatched {
            entries.removeValue(forKey: target)?.isForgotten = true
            for cause in causes.keys where causes[cause]?.remove(target) != nil && causes[cause]?.isEmpty == true {
                causes[cause] = nil
            }
        }
    }

    /// Schedules a check of which gateways are still needed, after a path has changed.
    mutating func reconsiderGateways(_ now: Duration) {
        forgetDue = min(forgetDue ?? now + Self.gatewayLinger, now + Self.gatewayLinger)
    }
}
