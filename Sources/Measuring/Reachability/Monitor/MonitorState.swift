// SPDX-License-Identifier: Apache-2.0

internal import HeapModule
internal import LocalNetwork
internal import Netlink

/// The targets of a monitor, and the schedule of work for them.
struct MonitorState {
    struct Turn: Comparable {
        let time: Duration
        let entry: WatchedTarget
        static func < (left: Self, right: Self) -> Bool { left.time < right.time }
        static func == (left: Self, right: Self) -> Bool { left.time == right.time && left.entry === right.entry }
    }

    let local: LocalWatcher?
    let policy: Policy
    /// Functions with which watches query this host's state.
    private(set) var localQueries: Watch.Local
    var entries: [Target: WatchedTarget] = [:]
    var turns = Heap<Turn>()
    var events = EventSource()
    /// The causes of failures, each with the targets that fail because of it.
    var causes: [Target: Set<Target>] = [:]
    /// The number of targets that were ever watched.
    var targetCount = 0
    /// Requests that changes have caused, and that are still to be sent.
    var requests = Requests()
    /// The link events since the last turn; nil if there were none.
    private var linkEvents: [LinkEvent]?
    private var isContextStale = false
    /// When to search for common causes of failures; nil if no target's reachability has changed.
    var judgementDue: Duration?
    /// When to check for targets that need not be watched any more.
    var forgetDue: Duration?
    private var expectedTurn: Duration?

    /// With many targets, work is done in rounds of this length, which is cheaper than one by one.
    private static let round = Duration.milliseconds(5)
    /// With many targets, the time from a failure to the search for common causes.
    private static let judgementRound = Duration.milliseconds(100)
    private static let manyTargets = 500
    private static let stall = Duration.seconds(1)

    init(_ policy: Policy, _ local: LocalWatcher?) {
        self.policy = policy
        self.local = local
        localQueries = Watch.Local(
            path: { address, last, interface in
                local.map {
                    $0.path(to: address, interface: interface).explained(last: last, to: address, in: $0.state)
                }
            },
            lacksNeighbour: { local?.lacksNeighbour($0, to: $1) ?? false },
            link: { name in
                (local?.state).map { ($0.operationalState(of: name), $0.link(named: name)?.linkClass) }
            }
        )
    }

    /// The targets, in the order in which they were first watched.
    var ordered: [WatchedTarget] { entries.values.sorted { $0.number < $1.number } }

    /// Does the work that is due; returns the time until more is due, or nil if none is scheduled.
    mutating func proceed(_ now: Duration) -> Duration? {
        applyLinkEvents(now)
        applyContext(now)
        if let expectedTurn, now - expectedTurn > Self.stall, !entries.isEmpty {
            resume(after: now - expectedTurn, now)
        }
        while let turn = turns.min, turn.time <= now {
            turns.removeMin()
            // A turn that was rescheduled has another entry in the heap.
            guard let due = turn.entry.watch.due, due <= now else { continue }
            change(turn.entry, now) { watch, step in watch.proceed(&step) }
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

    mutating func resolved(_ entry: WatchedTarget, _ question: Int, _ resolution: Resolution, _ now: Duration) {
        change(entry, now) { watch, step in watch.resolved(resolution, of: question, &step) }
    }

    mutating func observed(_ order: Requests.Order, _ observation: Observation, sentAt: Duration, _ now: Duration) {
        let entry = order.entry
        guard entry.watch.epoch == order.epoch else { return }
        let meaning = change(entry, now) { watch, step in
            watch.observed(order.track, order.probe, observation, sentAt: sentAt, &step)
        }
        guard let meaning = meaning ?? nil, !entry.isImplicit, events.wantsSamples(entry.subscribers) else { return }
        events.publish(.sample(meaning), entry.watch.status, now)
    }

    mutating func localChanged(_ update: LocalUpdate) { linkEvents = (linkEvents ?? []) + update.events }

    mutating func change(to context: LinkContext) {
        guard context != localQueries.context else { return }
        localQueries.context = context
        isContextStale = true
    }

    private mutating func applyContext(_ now: Duration) {
        guard isContextStale else { return }
        isContextStale = false
        for entry in ordered {
            change(entry, now) { watch, step in
                watch.localChanged(&step)
                watch.startOver(forgetting: false, &step)
            }
        }
    }

    private mutating func applyLinkEvents(_ now: Duration) {
        guard let changes = linkEvents else { return }
        linkEvents = nil
        for event in changes {
            events.publish(.link(event), nil, event.time)
            if case .resumed(let pause) = event.change { resume(after: pause, now) }
        }
        for entry in ordered { change(entry, now) { watch, step in watch.localChanged(&step) } }
    }

    /// Treats all evidence as out of date, because this host or process was suspended for `pause`.
    private mutating func resume(after pause: Duration, _ now: Duration) {
        events.publish(.resumed(after: pause), nil, now)
        for entry in ordered { change(entry, now) { watch, step in watch.startOver(forgetting: true, &step) } }
    }

    /// Runs `body` on a watch, and schedules and publishes what follows; does nothing and returns nil if the target is
    /// no longer watched.
    @discardableResult
    mutating func change<Value>(
        _ entry: WatchedTarget,
        _ now: Duration,
        _ body: (inout Watch, inout Watch.Step) -> Value
    ) -> Value? {
        guard !entry.isForgotten else { return nil }
        var step = Watch.Step(local: localQueries, now: now)
        let before = entry.watch.due
        let value = body(&entry.watch, &step)
        if let due = entry.watch.due, due != before || turns.isEmpty {
            turns.insert(Turn(time: due, entry: entry))
            if expectedTurn.map({ due < $0 }) ?? true { requests.wantsTurn = true }
        }
        let timeout = entry.watch.target.timeout(policy)
        for (track, probe) in step.probes {
            requests.probes.append(
                .init(entry: entry, track: track, epoch: entry.watch.epoch, probe: probe, timeout: timeout)
            )
        }
        requests.names += step.names.map { (entry, $0.question, $0.host) }
        if entry.watch.status.isReachable { entry.hasAnswered = true }
        watchGateway(of: entry.watch.status, now)
        let isDown = entry.watch.status.state.isDown
        if isDown != entry.isDown {
            entry.isDown = isDown
            // Thousands of targets may fail together, so their causes are searched once for all of them.
            if judgementDue == nil {
                judgementDue = entries.count > Self.manyTargets ? now + Self.judgementRound : now
                requests.wantsTurn = true
            }
        }
        entry.watch.status.cause = RootCause.of(entry.watch.status, among: known)
        for (kind, status) in step.events where !entry.isImplicit {
            var status = status
            status.cause = entry.watch.status.cause
            events.publish(kind, status, now)
        }
        return value
    }
}
