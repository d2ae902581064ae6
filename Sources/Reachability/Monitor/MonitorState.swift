// SPDX-License-Identifier: Apache-2.0

internal import HeapModule
internal import Netlink

/// What is to be sent.
struct Requests {
    /// One probe of one watch.
    struct Order {
        let watch: Int
        let track: Int
        let epoch: Int
        let probe: Probe
        let timeout: Duration
    }

    var probes: [Order] = []
    var names: [(watch: Int, question: Int, host: String)] = []
    /// Whether something is due before what is slept for.
    var wantsTurn = false
}

/// All targets of a monitor, and who watches them.
struct MonitorState {
    /// A target with its watch. An object, since a watch is too large to be moved at each probe; used with the
    /// monitor's lock held, like all of the state.
    final class Entry: @unchecked Sendable {
        var watch: Watch
        /// Who watches it.
        var subscribers: Set<Int> = []
        /// Until when somebody who asked once is waited for to ask again.
        var lingersUntil: Duration
        /// Whether it is watched for the sake of others only.
        var isImplicit = false
        var hasAnswered = false
        var isDown = false

        init(_ watch: Watch, lingersUntil: Duration) {
            self.watch = watch
            self.lingersUntil = lingersUntil
        }
    }

    private struct Turn: Comparable {
        let time: Duration
        let watch: Int
        static func < (left: Self, right: Self) -> Bool { left.time < right.time }
    }

    let local: LocalWatcher?
    var context: LinkContext { surroundings.context }
    /// What watches ask of this host's own state.
    private(set) var surroundings: Watch.Local
    let policy: Policy
    var entries: [Int: Entry] = [:]
    var numbers: [Target: Int] = [:]
    private var turns = Heap<Turn>()
    private var subscribers: [Int: Subscriber] = [:]
    var causes: [Target: Set<Target>] = [:]
    private var next = 0
    private var sequence: UInt64 = 0
    private var updates: [LinkEvent] = []
    private var isLocalStale = false
    private var isJudgementStale = false
    private var unwatchedDue: Duration?
    private var expectedTurn: Duration?
    private var isOver = false

    /// Who asks once is likely to ask again.
    private static let linger = Duration.seconds(180)
    /// Thousands of targets are served in rounds of this length, which costs less than one by one.
    private static let round = Duration.milliseconds(5)
    private static let manyTargets = 500
    private static let stall = Duration.seconds(1)

    init(_ policy: Policy, _ local: LocalWatcher?) {
        self.policy = policy
        self.local = local
        surroundings = Watch.Local(
            path: { local?.path(to: $0) },
            lacksNeighbour: { local?.lacksNeighbour($0, to: $1) ?? false },
            link: { name in
                let state = local?.state
                return (state?.operationalState(of: name) ?? .missing, state?.link(named: name)?.linkClass)
            }
        )
    }

    // MARK: Who watches

    mutating func join(_ targets: [Target]?, _ subscriber: Subscriber, _ now: Duration, _ requests: inout Requests)
        -> Int
    {
        next += 1
        let number = next
        if isOver {
            subscriber.finish()
            return number
        }
        subscribers[number] = subscriber
        let wanted = targets ?? numbers.keys.sorted { numbers[$0, default: 0] < numbers[$1, default: 0] }
        let fresh = wanted.count { numbers[$0] == nil }
        for (place, target) in wanted.enumerated() {
            // Many at once are spread over an interval, so that they never leave together.
            let splay = fresh > 64 ? policy.interval * Double(place) / Double(wanted.count) : .zero
            let watch = watch(target, now, from: now + splay, &requests)
            if targets != nil { entries[watch]?.subscribers.insert(number) }
            entries[watch]?.isImplicit = false
            if let status = entries[watch]?.watch.status { tell(.initial, status, now, only: number) }
        }
        return number
    }

    mutating func leave(_ number: Int, _ now: Duration) {
        subscribers.removeValue(forKey: number)?.finish()
        for (watch, entry) in entries where entry.subscribers.contains(number) {
            entries[watch]?.subscribers.remove(number)
        }
        forgetUnwatched(now)
    }

    mutating func query(_ target: Target, _ now: Duration, _ requests: inout Requests) -> Status {
        let watch = watch(target, now, from: now, &requests)
        entries[watch]?.lingersUntil = now + Self.linger
        unwatchedDue = min(unwatchedDue ?? .seconds(1 << 40), now + Self.linger)
        return entries[watch]?.watch.status ?? Status(target, at: now)
    }

    mutating func end() {
        isOver = true
        for number in subscribers.keys.sorted() {
            tell(.ended, nil, .zero, only: number)
            subscribers[number]?.finish()
        }
        subscribers = [:]
        entries = [:]
        numbers = [:]
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
        return number
    }

    /// Looks at all targets, so not more often than somebody may have lost interest.
    private mutating func forgetUnwatched(_ now: Duration) {
        unwatchedDue = entries.values.filter { $0.subscribers.isEmpty && $0.lingersUntil > now }.map(\.lingersUntil)
            .min()
        let isAnyWatched = entries.values.contains { !$0.subscribers.isEmpty || $0.lingersUntil > now }
        for (number, entry) in entries where entry.subscribers.isEmpty && entry.lingersUntil <= now {
            if entry.isImplicit, isAnyWatched { continue }
            entries[number] = nil
            numbers[entry.watch.target] = nil
            causes[entry.watch.target] = nil
        }
    }

    // MARK: What happens

    /// Does what is due, and gives how long there is nothing to do.
    mutating func proceed(_ now: Duration, _ requests: inout Requests) -> Duration? {
        tellOfLinks(now, &requests)
        if let expectedTurn, now - expectedTurn > Self.stall, !entries.isEmpty {
            resume(after: now - expectedTurn, now, &requests)
        }
        while let turn = turns.min, turn.time <= now {
            _ = turns.popMin()
            // A turn that was put off meanwhile has another entry.
            guard let due = entries[turn.watch]?.watch.due, due <= now else { continue }
            change(turn.watch, now, &requests) { watch, local, effects in watch.proceed(local, now, &effects) }
        }
        if isJudgementStale {
            isJudgementStale = false
            findCauses(now)
            judgeOffline(now, &requests)
        }
        if let due = unwatchedDue, due <= now { forgetUnwatched(now) }
        expectedTurn = turns.min?.time
        guard let due = [expectedTurn, unwatchedDue].compactMap({ $0 }).min() else { return nil }
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
        change(order.watch, now, &requests) { watch, local, effects in
            watch.observed(order.track, observation, sentAt: sentAt, local, now, &effects)
        }
        let wantsSamples = entry.subscribers.contains { subscribers[$0]?.wantsSamples == true }
        if wantsSamples, let status = entries[order.watch]?.watch.status {
            tell(.sample(status.observation ?? observation), status, now)
        }
    }

    mutating func take(_ update: LocalUpdate) {
        updates += update.events
        isLocalStale = true
    }

    mutating func change(to context: LinkContext, _ now: Duration, _ requests: inout Requests) {
        guard context != self.context else { return }
        surroundings.context = context
        for number in entries.keys.sorted() {
            change(number, now, &requests) { watch, local, effects in
                watch.localChanged(local, now, &effects)
                watch.startOver(forgetting: false, local, now, &effects)
            }
        }
    }

    private mutating func tellOfLinks(_ now: Duration, _ requests: inout Requests) {
        guard isLocalStale else { return }
        isLocalStale = false
        let events = updates
        updates = []
        for event in events {
            tell(.link(event), nil, event.time)
            if case .resumed(let pause) = event.change { resume(after: pause, now, &requests) }
        }
        for number in entries.keys.sorted() {
            change(number, now, &requests) { watch, local, effects in watch.localChanged(local, now, &effects) }
        }
    }

    /// Takes all that is known for old.
    private mutating func resume(after pause: Duration, _ now: Duration, _ requests: inout Requests) {
        tell(.resumed(after: pause), nil, now)
        for number in entries.keys.sorted() {
            change(number, now, &requests) { watch, local, effects in
                watch.startOver(forgetting: true, local, now, &effects)
            }
        }
    }

    /// Lets one watch do something, and carries out what follows.
    private mutating func change(
        _ number: Int,
        _ now: Duration,
        _ requests: inout Requests,
        _ body: (inout Watch, Watch.Local, inout Watch.Effects) -> Void
    ) {
        var effects = Watch.Effects()
        guard let entry = entries[number] else { return }
        let before = entry.watch.due
        body(&entry.watch, surroundings, &effects)
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
            // Thousands may fall together: what it means is found out once for all of them.
            isJudgementStale = true
            requests.wantsTurn = true
        }
        let cause = RootCause.of(entry.watch.status, among: known)
        if cause != entry.watch.status.cause { entry.watch.blame(cause) }
        for (kind, status) in effects.events {
            var status = status
            status.cause = entry.watch.status.cause
            tell(kind, status, now)
        }
    }

    // MARK: Telling

    mutating func tell(_ kind: Event.Kind, _ status: Status?, _ now: Duration, only: Int? = nil) {
        sequence += 1
        let event = Event(kind: kind, status: status, time: now, sequence: sequence)
        if let only {
            subscribers[only]?.tell(event)
            return
        }
        let isImplicit = status.flatMap { numbers[$0.target] }.flatMap { entries[$0]?.isImplicit } ?? false
        for number in subscribers.keys where subscribers[number]?.wants(event) == true && !isImplicit {
            subscribers[number]?.tell(event)
        }
    }
}
