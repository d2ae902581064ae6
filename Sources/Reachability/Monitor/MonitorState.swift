// SPDX-License-Identifier: Apache-2.0

internal import HeapModule
internal import LocalNetwork
internal import Netlink

/// All targets of a monitor, and their subscriptions.
struct MonitorState {
    /// A target with its watch. An object, since a watch is too large to be moved at each probe; used with the
    /// monitor's lock held, like all of the state.
    final class Entry: @unchecked Sendable {
        var watch: Watch
        /// The subscriptions that watch it.
        var subscribers: Set<ObjectIdentifier> = []
        /// Until when it is watched after a query without subscription.
        var lingersUntil: Duration
        /// Whether it is watched only as the gateway of other targets.
        var isImplicit = false
        var hasAnswered = false
        var isDown = false

        init(_ watch: Watch, lingersUntil: Duration) {
            self.watch = watch
            self.lingersUntil = lingersUntil
        }
    }

    struct Turn: Comparable {
        let time: Duration
        let watch: Int
        static func < (left: Self, right: Self) -> Bool { left.time < right.time }
    }

    let local: LocalWatcher?
    var context: LinkContext { localQueries.context }
    /// Queries of the watches about this host's own state.
    private(set) var localQueries: Watch.Local
    let policy: Policy
    var entries: [Int: Entry] = [:]
    var numbers: [Target: Int] = [:]
    var turns = Heap<Turn>()
    let subscribers = Subscribers<Event>()
    var interests: [ObjectIdentifier: Interest] = [:]
    var causes: [Target: Set<Target>] = [:]
    var next = 0
    private var sequence: UInt64 = 0
    private var updates: [LinkEvent] = []
    private var isLocalStale = false
    private var isContextStale = false
    /// When to search for common causes of failures; nil while no failure has changed.
    var judgementDue: Duration?
    /// When to remove targets without subscriptions.
    var forgetDue: Duration?
    private var expectedTurn: Duration?
    var isOver = false

    /// Thousands of targets are served in rounds of this length, which costs less than one by one.
    private static let round = Duration.milliseconds(5)
    /// The interval between searches for the causes of their failures.
    private static let judgementRound = Duration.milliseconds(100)
    private static let manyTargets = 500
    private static let stall = Duration.seconds(1)

    init(_ policy: Policy, _ local: LocalWatcher?) {
        self.policy = policy
        self.local = local
        localQueries = Watch.Local(
            path: { address, last in
                local.map { $0.path(to: address).explained(last: last, to: address, in: $0.state) }
            },
            lacksNeighbour: { local?.lacksNeighbour($0, to: $1) ?? false },
            link: { name in
                (local?.state).map { ($0.operationalState(of: name), $0.link(named: name)?.linkClass) }
            }
        )
    }

    /// Does what is due, and returns the time until something is due again; nil if nothing is.
    mutating func proceed(_ now: Duration, _ requests: inout Requests) -> Duration? {
        applyLocalUpdates(now, &requests)
        applyContext(now, &requests)
        if let expectedTurn, now - expectedTurn > Self.stall, !entries.isEmpty {
            resume(after: now - expectedTurn, now, &requests)
        }
        while let turn = turns.min, turn.time <= now {
            _ = turns.popMin()
            // A turn that was postponed has another entry.
            guard let due = entries[turn.watch]?.watch.due, due <= now else { continue }
            change(turn.watch, now, &requests) { watch, local, effects in watch.proceed(local, now, &effects) }
        }
        if let due = judgementDue, due <= now {
            judgementDue = nil
            findCauses(now)
            judgeOffline(now)
        }
        if let due = forgetDue, due <= now { forgetUnwatched(now) }
        expectedTurn = turns.min?.time
        guard let due = [expectedTurn, judgementDue, forgetDue].compactMap(\.self).min() else { return nil }
        return max(due - now, entries.count > Self.manyTargets ? Self.round : .zero)
    }

    mutating func resolved(
        _ number: Int,
        _ question: Int,
        _ resolution: Resolution,
        _ now: Duration,
        _ requests: inout Requests
    ) {
        change(number, now, &requests) { watch, local, effects in
            watch.resolved(resolution, of: question, local, now, &effects)
        }
    }

    mutating func observed(
        _ order: Requests.Order,
        _ observation: Observation,
        sentAt: Duration,
        _ now: Duration,
        _ requests: inout Requests
    ) {
        guard let entry = entries[order.watch], entry.watch.epoch == order.epoch else { return }
        var meaning: Observation?
        change(order.watch, now, &requests) { watch, local, effects in
            meaning = watch.observed(order.track, order.probe, observation, sentAt: sentAt, local, now, &effects)
        }
        guard let meaning, entry.subscribers.contains(where: { interests[$0]?.wantsSamples == true }) else { return }
        if let status = entries[order.watch]?.watch.status { publish(.sample(meaning), status, now) }
    }

    mutating func take(_ update: LocalUpdate) {
        updates += update.events
        isLocalStale = true
    }

    mutating func change(to context: LinkContext) {
        guard context != self.context else { return }
        localQueries.context = context
        isContextStale = true
    }

    private mutating func applyContext(_ now: Duration, _ requests: inout Requests) {
        guard isContextStale else { return }
        isContextStale = false
        for number in entries.keys.sorted() {
            change(number, now, &requests) { watch, local, effects in
                watch.localChanged(local, now, &effects)
                watch.startOver(forgetting: false, local, now, &effects)
            }
        }
    }

    private mutating func applyLocalUpdates(_ now: Duration, _ requests: inout Requests) {
        guard isLocalStale else { return }
        isLocalStale = false
        let events = updates
        updates = []
        for event in events {
            publish(.link(event), nil, event.time)
            if case .resumed(let pause) = event.change { resume(after: pause, now, &requests) }
        }
        for number in entries.keys.sorted() {
            change(number, now, &requests) { watch, local, effects in watch.localChanged(local, now, &effects) }
        }
    }

    /// Treats all evidence as out of date.
    private mutating func resume(after pause: Duration, _ now: Duration, _ requests: inout Requests) {
        publish(.resumed(after: pause), nil, now)
        for number in entries.keys.sorted() {
            change(number, now, &requests) { watch, local, effects in
                watch.startOver(forgetting: true, local, now, &effects)
            }
        }
    }

    /// Changes one watch, and carries out the effects.
    mutating func change(
        _ number: Int,
        _ now: Duration,
        _ requests: inout Requests,
        _ body: (inout Watch, Watch.Local, inout Watch.Effects) -> Void
    ) {
        var effects = Watch.Effects()
        guard let entry = entries[number] else { return }
        let before = entry.watch.due
        body(&entry.watch, localQueries, &effects)
        if let due = entry.watch.due, due != before || turns.isEmpty {
            turns.insert(Turn(time: due, watch: number))
            if expectedTurn.map({ due < $0 }) ?? true { requests.wantsTurn = true }
        }
        let timeout = entry.watch.target.timeout(policy)
        for (track, probe) in effects.probes {
            requests.probes.append(
                .init(watch: number, track: track, epoch: entry.watch.epoch, probe: probe, timeout: timeout)
            )
        }
        requests.names += effects.names.map { (number, $0.question, $0.host) }
        if entry.watch.status.isReachable { entry.hasAnswered = true }
        watchGateway(of: entry.watch.status, now, &requests)
        let isDown = entry.watch.status.state.isDown
        if isDown != entry.isDown {
            entry.isDown = isDown
            // Thousands may fail together: their causes are searched once for all of them.
            if judgementDue == nil {
                judgementDue = entries.count > Self.manyTargets ? now + Self.judgementRound : now
                requests.wantsTurn = true
            }
        }
        let cause = RootCause.of(entry.watch.status, among: known)
        if cause != entry.watch.status.cause { entry.watch.setCause(cause) }
        for (kind, status) in effects.events {
            var status = status
            status.cause = entry.watch.status.cause
            publish(kind, status, now)
        }
    }

    /// Sends an event to all subscriptions that it is for.
    mutating func publish(_ kind: Event.Kind, _ status: Status?, _ now: Duration) {
        let isImplicit = status.flatMap { numbers[$0.target] }.flatMap { entries[$0]?.isImplicit } ?? false
        if isImplicit { return }
        subscribers.publish(event(kind, status, now))
    }

    /// Sends an event to one subscription.
    mutating func publish(
        _ kind: Event.Kind,
        _ status: Status?,
        _ now: Duration,
        only subscription: Subscription<Event>
    ) {
        subscription.put(event(kind, status, now))
    }

    mutating func event(_ kind: Event.Kind, _ status: Status?, _ now: Duration) -> Event {
        sequence += 1
        return Event(kind: kind, status: status, time: now, sequence: sequence)
    }
}
