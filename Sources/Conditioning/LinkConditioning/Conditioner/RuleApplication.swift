// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinuxSystem
internal import Netlink
internal import PacketPump
internal import TrafficControl

/// The process that ends a rule, and the process that carries the packets if the kernel does not.
enum RuleKeeper {
    /// A guardian, which also starts the pump. A rule without pump and time limit has no guardian: it stays until a
    /// reset. The rule is in the journal. `replaced` is the rule whose guardian the new one keeps; nil for none.
    case guardian(RuleTimes, replaced: JournalEntry.Rule?)
    /// The calling process, which supervises a command; if there is a pump, also a guardian. The pump writes `capture`.
    /// The rule is in the journal.
    case supervisor(capture: PumpCaptureStart?)
    /// The network namespace: rule and `pump` end when it does. There is no journal. `before` is the request that this
    /// rule replaces; nil for none.
    case network(pump: PumpProcess?, before: RuleRequest?)
}

/// Applies a rule to interfaces of one network: starts the processes that carry and end it, changes each interface and
/// records the change, and undoes everything if a step fails. Rules of the host, of commands and of sandboxes all use
/// it; they differ in their ``RuleKeeper``.
struct RuleApplication {
    let request: RuleRequest
    let engine: Engine
    /// The interfaces, each with its plan, whose requirements the kernel meets.
    let plans: [(interface: String, plan: Plan)]
    let keeper: RuleKeeper
    /// Whether the pages of the rule's processes must stay in memory, since storage is reached through the interface.
    var locksMemory = false

    private var endsWithCaller: Bool { if case .supervisor = keeper { true } else { false } }

    /// Puts the rule into effect.
    ///
    /// - Parameters:
    ///   - guardian: is set to the guardian as soon as one has been started; a failure does not end the guardian.
    ///   - open: opens a session to change an interface.
    /// - Returns: the old lanes of each interface, to be deleted now.
    /// - Throws: the first failure; the interfaces are unchanged then, unless the error says otherwise.
    func carryOut(
        _ guardian: inout Guardian?,
        open: (String) throws(ConditioningError) -> InterfaceSession
    ) throws(ConditioningError) -> [Teardown] {
        var teardowns: [Teardown] = []
        var rule: JournalEntry.Rule?
        for (interface, plan) in plans {
            do {
                let session = try open(interface)
                let started: JournalEntry.Rule
                if let rule { started = rule } else { started = try start(for: session, &guardian) }
                rule = started
                teardowns.append(try change(session, by: plan, started))
            } catch {
                var error = error
                for (interface, _) in plans.prefix(teardowns.count) { restore(interface, &error, open) }
                throw error
            }
        }
        return teardowns
    }

    /// Applies the rule to its only interface, on which `session` is open.
    func carryOut(
        on session: consuming InterfaceSession,
        _ guardian: inout Guardian?
    ) throws(ConditioningError) -> Teardown {
        let rule = try start(for: session, &guardian)
        return try change(session, by: plans[0].plan, rule)
    }

    private func change(
        _ session: consuming InterfaceSession,
        by plan: Plan,
        _ rule: JournalEntry.Rule
    ) throws(ConditioningError) -> Teardown {
        let signals = HeldSignals()
        defer { signals.release() }
        return try session.apply(rule, as: plan)
    }

    /// Starts the processes that the rule needs, before the first change.
    private func start(
        for session: borrowing InterfaceSession,
        _ guardian: inout Guardian?
    ) throws(ConditioningError) -> JournalEntry.Rule {
        switch keeper {
        case .network(let pump, _):
            let devices = plans.map { PumpedDevice(name: $0.interface, taps: $0.plan.taps) }.filter { !$0.taps.isEmpty }
            if !devices.isEmpty { try pump?.start(devices, request.recordedConditions) }
            return JournalEntry.Rule(request, engine, owner: session.machine.process)
        case .supervisor(let capture):
            return try start(
                for: session,
                RuleTimes(),
                isTied: true,
                kept: session.machine.process,
                capture: capture,
                &guardian
            )
        case .guardian(let times, let replaced):
            let isTied = replaced?.ending?.isTied ?? false
            if let replaced, isTied, replaced.engine != engine || plans.contains(where: { !$0.plan.taps.isEmpty }) {
                throw ConditioningError(
                    .unsupported,
                    "\(session.name) has \"\(replaced.profile.name)\" for a running command, whose processes "
                        + "cannot be replaced",
                    remedy: replaced.engine == engine ? nil : Remedy(.useEngine, replaced.engine.rawValue)
                )
            }
            // A rule keeps its guardian when its conditions or times change.
            let kept = replaced.flatMap { $0.engine == engine ? $0.ending?.guardian : nil }
            return try start(for: session, times, isTied: isTied, kept: kept, capture: nil, &guardian)
        }
    }

    /// Starts a guardian for the only interface, and its pump, unless the process `kept` is a living guardian and no
    /// pump is needed.
    private func start(
        for session: borrowing InterfaceSession,
        _ times: RuleTimes,
        isTied: Bool,
        kept: ProcessIdentity?,
        capture: PumpCaptureStart?,
        _ guardian: inout Guardian?
    ) throws(ConditioningError) -> JournalEntry.Rule {
        let plan = plans[0].plan
        let hasLanes = plan.hasLanes
        let machine = session.machine
        let isAlive = kept.map(machine.isAlive) == true
        let needsGuardian = hasLanes && (engine == .userspace || times.hasDeadline || isTied)
        guard !hasLanes || engine == .netem || !plan.taps.isEmpty || isAlive else {
            throw ConditioningError(
                .journal,
                "the journal has no record of the processes that condition \(session.name)",
                remedy: Remedy(.reset, session.name)
            )
        }
        let makeRule = { [request, engine, owner = machine.process] (guardian: ProcessIdentity?) in
            let ending = guardian.map {
                JournalEntry.Ending(guardian: $0, until: times.until, confirmBy: times.confirmBy, isTied: isTied)
            }
            return JournalEntry.Rule(request, engine, owner: owner, ending: ending)
        }
        guard !plan.taps.isEmpty || needsGuardian && !isAlive else { return makeRule(needsGuardian ? kept : nil) }
        var task = PumpTask(plan, request, on: session.name)
        task?.capture = capture
        task?.sockets = session.pumpSockets
        let started = try Guardian.start(
            for: session,
            task,
            isTied: endsWithCaller,
            locksMemory: locksMemory,
            makeRule
        )
        guardian = started
        return makeRule(started.identity)
    }

    /// Restores one interface after the change of another failed.
    private func restore(
        _ interface: String,
        _ failure: inout ConditioningError,
        _ open: (String) throws(ConditioningError) -> InterfaceSession
    ) {
        do {
            let session = try open(interface)
            let executor = session.executor
            let process = session.machine.process
            if case .network(_, let before?) = keeper {
                var plan = try session.planner.apply(before, engine)
                plan.teardown.removeAll(where: \.isDrain)
                let rule = JournalEntry.Rule(before, engine, owner: process)
                _ = try session.apply(rule, as: plan).finish()
            } else {
                let removal = session.beginRemoval(of: request.selection, leftBy: [process.processID])
                _ = try Removal.carryOut([removal], isPatient: false, by: executor)
            }
        } catch {
            let problem = "\(interface) keeps the new conditions: \(error.message)"
            failure.aftermath = [failure.aftermath, problem].compactMap { $0 }.joined(separator: "\n")
        }
    }
}

extension RuleApplication {
    /// Chooses the engine for a rule on one interface of the host, plans it and checks the kernel.
    ///
    /// - Parameters:
    ///   - isInitialNetwork: whether the interface is in the network in which the process started.
    ///   - needsLog: whether a packet log is wanted, which netem does not write.
    ///   - note: is called with notes for the user.
    init(
        _ request: RuleRequest,
        _ keeper: RuleKeeper,
        on session: borrowing InterfaceSession,
        _ connection: RouteConnection,
        isInitialNetwork: Bool,
        needsLog: Bool = false,
        note: (ConditioningNote) -> Void
    ) throws(ConditioningError) {
        let choice = try EngineChoice(
            request,
            [session.planner],
            session.executor,
            current: session.state.rules.first { $0.selection == request.selection },
            needsLog: needsLog
        )
        try choice.require(session.executor)
        let plan = choice.plan
        self.init(
            request: request,
            engine: choice.engine,
            plans: [(session.name, plan)],
            keeper: keeper
        )
        guard plan.hasLanes else { return }
        if let reason = choice.note { note(ConditioningNote(reason, isDetail: true)) }
        if plan.failsClosed { note(Self.failsClosed(session.name)) }
        // File systems are mounted from the network in which the process started.
        let storage = (isInitialNetwork ? session.machine.networkStorage : [])
            .filter { $0.isCarried(by: session.name, request.selection, connection) }
        if let warning = NetworkStorage.note(storage, on: session.name) { note(warning) }
        locksMemory = !storage.isEmpty
    }

    private static func failsClosed(_ interface: String) -> ConditioningNote {
        """
        if the processes that carry the conditions are all killed or frozen at once, as with their control group or PID \
        namespace, \(interface) drops packets until the next linkcond command: without CAP_BPF and Linux 5.12, \
        filters stay
        """
    }
}

/// The times, by `BootClock`, at which a rule ends.
struct RuleTimes {
    /// The time limit.
    var until: Duration?
    /// The time at which the rule ends unless confirmed.
    var confirmBy: Duration?

    var hasDeadline: Bool { until != nil || confirmBy != nil }
}

extension RuleTimes {
    /// The times of a request, measured from `now`.
    init(_ request: RuleRequest, from now: Duration) {
        self.init(until: request.limit.map { now + $0 }, confirmBy: request.confirmWithin.map { now + $0 })
    }
}
