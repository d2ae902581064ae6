// SPDX-License-Identifier: Apache-2.0

internal import HeapModule
internal import LocalNetwork

/// Subscriptions, single queries, and how long targets stay watched.
extension MonitorState {
    /// How long a target is watched after a query, since another is likely.
    private static let linger = Duration.seconds(180)
    /// How long a gateway is still watched after the last packet left through it.
    private static let gatewayLinger = Duration.seconds(1)

    /// Adds a subscription, which begins with the status of its targets; nil for all.
    mutating func join(
        _ targets: [Target]?,
        wantsSamples: Bool,
        limit: Int,
        _ now: Duration,
        _ requests: inout Requests
    ) -> Subscription<Event> {
        if isOver {
            let subscription = Subscription(Event.bounded(limit: limit))
            publish(.ended, nil, now, only: subscription)
            subscription.finish()
            return subscription
        }
        let interest = Interest(targets: targets.map(Set.init), wantsSamples: wantsSamples)
        let subscription = subscribers.add(Event.bounded(limit: limit), accepts: interest.includes)
        let number = ObjectIdentifier(subscription)
        interests[number] = interest
        guard let targets else {
            for (_, entry) in entries.sorted(by: { $0.key < $1.key }) where !entry.isImplicit {
                publish(.initial, entry.watch.status, now, only: subscription)
            }
            return subscription
        }
        let fresh = targets.count { numbers[$0] == nil }
        for (place, target) in targets.enumerated() {
            // Many at once are spread over an interval, so that they never leave together.
            let splay = fresh > 64 ? policy.interval * Double(place) / Double(targets.count) : .zero
            let watch = watch(target, now, from: now + splay, &requests)
            guard entries[watch]?.subscribers.insert(number).inserted == true else { continue }
            entries[watch]?.isImplicit = false
            if let status = entries[watch]?.watch.status { publish(.initial, status, now, only: subscription) }
        }
        return subscription
    }

    mutating func leave(_ subscription: Subscription<Event>, _ now: Duration) {
        subscribers.remove(subscription)
        let number = ObjectIdentifier(subscription)
        guard let interest = interests.removeValue(forKey: number) else { return }
        for target in interest.targets ?? [] {
            if let watch = numbers[target] { entries[watch]?.subscribers.remove(number) }
        }
        forgetUnwatched(now)
    }

    mutating func query(_ target: Target, _ now: Duration, _ requests: inout Requests) -> Status {
        if isOver { return Status(target, at: now) }
        let watch = watch(target, now, from: now, &requests)
        entries[watch]?.lingersUntil = now + Self.linger
        forgetDue = min(forgetDue ?? .seconds(Int64.max), now + Self.linger)
        return entries[watch]?.watch.status ?? Status(target, at: now)
    }

    mutating func end(_ now: Duration) {
        isOver = true
        subscribers.publish(event(.ended, nil, now))
        subscribers.finish()
        interests = [:]
        entries = [:]
        numbers = [:]
        causes = [:]
        turns = Heap()
        (judgementDue, forgetDue) = (nil, nil)
    }

    mutating func watch(_ target: Target, _ now: Duration, from first: Duration, _ requests: inout Requests)
        -> Int
    {
        if let number = numbers[target] { return number }
        next += 1
        let number = next
        numbers[target] = number
        entries[number] = Entry(Watch(target, policy, at: now), lingersUntil: now)
        change(number, now, &requests) { watch, local, effects in watch.begin(local, at: first, &effects) }
        // If this host counts as offline, the judgement of the new target is suspended too.
        if !policy.anchors.isEmpty { judgementDue = judgementDue ?? now }
        return number
    }

    /// Removes targets without subscriptions, and gateways that no watched target's packets leave through.
    mutating func forgetUnwatched(_ now: Duration) {
        var gateways: Set<Target> = []
        var unwatched: [Int] = []
        forgetDue = nil
        for (number, entry) in entries where !entry.isImplicit {
            if entry.subscribers.isEmpty, entry.lingersUntil <= now {
                unwatched.append(number)
                continue
            }
            if entry.subscribers.isEmpty { forgetDue = min(forgetDue ?? entry.lingersUntil, entry.lingersUntil) }
            if let gateway = entry.watch.status.path?.gatewayTarget { gateways.insert(gateway) }
        }
        for (number, entry) in entries where entry.isImplicit && !gateways.contains(entry.watch.target) {
            unwatched.append(number)
        }
        for number in unwatched {
            guard let target = entries.removeValue(forKey: number)?.watch.target else { continue }
            numbers[target] = nil
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
