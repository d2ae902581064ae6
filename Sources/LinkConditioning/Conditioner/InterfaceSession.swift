// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem
package import Netlink
internal import TrafficControl

/// The exclusive right to make one change to one interface. Opening it repairs what an interrupted process left, so
/// that `state` and `entry` are consistent; the operation that makes the change consumes it.
///
/// While it exists, other processes that use the journal wait for the interface or fail with `busy`.
struct InterfaceSession: ~Copyable {
    /// The interface's name.
    var name: String { contents.name }
    /// The state of the interface.
    var state: DeviceState { contents.found.state }
    /// The result of reading the journal, updated by the repair; a missing or damaged entry is reported as such.
    var reading: JournalReading { contents.found.reading }
    /// Notes for the user about what was repaired.
    var notes: [String] { contents.found.notes }
    /// The interface's journal entry; nil without a journal.
    var entry: JournalEntry? { record.entry }

    var record: InterfaceRecord { contents.found.record }
    var executor: PlanExecutor { contents.executor }

    // An object, because the optimizer of Swift 6.3.1 releases a stored property of a noncopyable struct too early if a
    // copy of it is used after the struct was consumed.
    private let contents: Contents

    private final class Contents {
        let name: String
        let found: Found
        let executor: PlanExecutor
        let portsTellOpener: Bool

        init(_ name: String, _ found: Found, _ executor: PlanExecutor, portsTellOpener: Bool = false) {
            self.name = name
            self.found = found
            self.executor = executor
            self.portsTellOpener = portsTellOpener
        }
    }

    /// The behaviour if the journal cannot be written.
    enum Strictness: Sendable {
        /// Throws: a change must be recorded before it takes effect.
        case strict
        /// Proceeds: a removal matters more than its record.
        case lenient
    }

    /// Locks the interface called `name`, waiting `patience` for another process to finish, and repairs it.
    ///
    /// - Parameter asksPumps: whether to remove the rules of pumps that do not answer. It takes seconds then, and is of no
    ///   use to a removal.
    /// - Throws: `notFound` if there is no such interface; `busy`, naming the process, if another process keeps
    ///   changing it; `journal`; or the reason why it cannot be repaired.
    init(
        _ name: String,
        _ connection: RouteConnection,
        home: RouteConnection? = nil,
        journal: Journal?,
        command: String,
        patience: Duration = .seconds(2),
        strictness: Strictness = .strict,
        asksPumps: Bool = true
    ) throws(ConditioningError) {
        let executor = PlanExecutor(connection, home: home)
        let found = try Self.find(
            name,
            connection,
            executor,
            journal: journal,
            command: command,
            patience: patience,
            strictness: strictness,
            asksPumps: asksPumps
        )
        contents = Contents(name, found, executor)
    }

    /// An interface that is locked and repaired.
    private struct Found {
        let state: DeviceState
        let reading: JournalReading
        let notes: [String]
        let record: InterfaceRecord
    }

    private static func find(
        _ name: String,
        _ connection: RouteConnection,
        _ executor: PlanExecutor,
        journal: Journal?,
        command: String,
        patience: Duration,
        strictness: Strictness,
        asksPumps: Bool
    ) throws(ConditioningError) -> Found {
        let link = try link(name, connection)
        guard let journal, let place = strictness == .strict ? JournalPlace.forChange : .current else {
            let state = try Inspector(connection).state(of: name)
            let record = InterfaceRecord(nil, nil, nil, command: command)
            return Found(state: state, reading: .absent, notes: [], record: record)
        }
        var notes: [String] = []
        var lock: InterfaceLock?
        do {
            lock = try journal.lock(link.index, in: place, command: command, patience: patience)
        } catch {
            let error = Self.error(error, name)
            guard strictness == .lenient, error.code == .journal else { throw error }
            notes.append(error.message)
        }
        var state = try Inspector(connection).state(of: name)
        let hasFilters = !state.rules.isEmpty || !state.danglingFilters.isEmpty
        var reading = journal.read(link.index, in: place)
            .about(name, address: state.link.address, hasFilters: hasFilters)
        if case .otherVersion(let version) = reading, strictness == .strict {
            throw ConditioningError(
                .journal,
                "the journal of \(name) was written by another version of linkcond (format \(version))",
                remedy: Remedy(.reset, name)
            )
        }
        var entry = JournalEntry(place: place, index: link.index, name: name, address: state.link.address)
        if case .entry(let found) = reading { entry = found }
        let record = InterfaceRecord(entry, journal, lock, command: command)
        // Without the lock, an apparent leftover may be another process's change in progress.
        if lock != nil {
            var recovery = InterfaceRecovery(name: name, connection: connection, executor: executor, record: record)
            state = try recovery.run(reading, state, asksPumps: asksPumps)
            notes += recovery.notes
        }
        if case .entry = reading, let entry = record.entry { reading = .entry(entry) }
        return Found(state: state, reading: reading, notes: notes, record: record)
    }

    /// Begins a change without a journal, in a network namespace that ends with its processes.
    ///
    /// - Parameter portsTellOpener: whether the namespace is new, so that the ephemeral ports show which side opened a
    ///   loopback flow; see ``Planner``.
    init(
        unrecorded name: String,
        _ connection: RouteConnection,
        home: RouteConnection? = nil,
        portsTellOpener: Bool = false
    ) throws(ConditioningError) {
        let state = try Inspector(connection).state(of: name)
        let record = InterfaceRecord(nil, nil, nil, command: "")
        contents = Contents(
            name,
            Found(state: state, reading: .absent, notes: [], record: record),
            PlanExecutor(connection, home: home),
            portsTellOpener: portsTellOpener
        )
    }

    private static func link(_ name: String, _ connection: RouteConnection) throws(ConditioningError) -> Link {
        do {
            return try connection.link(named: name)
        } catch {
            throw ConditioningError(error)
        }
    }

    static func error(_ failure: InterfaceLock.Failure, _ name: String) -> ConditioningError {
        switch failure {
        case .busy(let holder): busy(name, holder)
        case .file(let error): ConditioningError(journal: error)
        }
    }

    /// - Parameter holder: what the process wrote into the lock, beginning with its ID.
    private static func busy(_ name: String, _ holder: String) -> ConditioningError {
        let process = Int32(holder.prefix { $0.isNumber })
        let isStopped = process.flatMap { ProcessStatus($0) }?.isStopped ?? false
        let words = holder.isEmpty ? "another process" : "process \(holder)"
        return ConditioningError(
            .busy,
            "\(name) is being changed by \(words)\(isStopped ? ", which is stopped" : "")",
            remedy: isStopped
                ? "kill -CONT \(process ?? 0)" : "the command again, after that process has ended"
        )
    }

    /// A planner for the interface's state.
    var planner: Planner {
        // Without a journal the network is a sandbox's: its packets go nowhere rather than unconditioned.
        guard let entry else { return Planner(state, .current(), portsTellOpener: contents.portsTellOpener) }
        return Planner(recorded: state, entry)
    }

    /// Applies a rule by `plan` and records it. The caller has checked that the kernel meets the plan's requirements.
    ///
    /// - Returns: the old lanes, to be deleted now that the rule is in effect.
    /// - Throws: the failure, after undoing the completed steps.
    consuming func apply(_ rule: JournalEntry.Rule, as plan: Plan) throws(ConditioningError) -> Teardown {
        let (record, before) = (record, entry)
        let next = before?.applying(rule, plan)
        try record.begin(leadingTo: next, selection: rule.selection, isRemoval: false)
        do {
            try executor.build(plan, on: name) { () throws(ConditioningError) in try record.commit(next) }
        } catch {
            // If something is left, the next command finds the unfinished change in the entry.
            if !error.isIncomplete { record.restore(before) }
            throw error
        }
        return Teardown(plan: plan, executor: executor, record: record)
    }

    /// Changes the record of rules in effect.
    ///
    /// - Throws: `journal` if it cannot be written; it is unchanged then.
    consuming func amend(_ change: (inout JournalEntry) -> Void) throws(ConditioningError) {
        try record.amend(change)
    }

    /// Ends the session without a change.
    consuming func close() {}
}

/// The old lanes that a new rule replaces, to be deleted once the rule is in effect. It keeps the interface locked.
package struct Teardown {
    /// The plan whose new lanes are in place.
    let plan: Plan
    fileprivate let executor: PlanExecutor
    fileprivate let record: InterfaceRecord

    /// Waits until the old lanes have drained, and deletes them.
    ///
    /// - Parameter connection: a connection of the calling thread's own; nil if it is the thread that made the plan.
    /// - Returns: messages about packets that lanes still held when they were deleted.
    package func finish(over connection: RouteConnection? = nil) throws(ConditioningError) -> [String] {
        try (connection.map { PlanExecutor($0) } ?? executor).tearDown(plan)
    }

    /// Whether there is nothing to delete.
    package var isEmpty: Bool { plan.teardown.isEmpty }
}

extension JournalEntry {
    /// The entry after `plan` has applied `rule`.
    fileprivate func applying(_ rule: Rule, _ plan: Plan) -> JournalEntry {
        var next = self
        next.suspended.removeAll { $0.selection == rule.selection }
        // A rule keeps its place: of equally specific rules, the one that was added last precedes the others.
        if let index = next.rules.firstIndex(where: { $0.selection == rule.selection }) {
            next.rules[index] = rule
            if plan.expected.isEmpty { next.rules.remove(at: index) }
        } else if !plan.expected.isEmpty {
            next.rules.append(rule)
        }
        for step in plan.build {
            switch step {
            case .kernel(.addHook): next.madeHook = true
            case .kernel(.setMTU(_, _, let previous)): next.previousMTU = previous
            case .setLoopback(_, _, let previous): next.previousSettings = previous
            default: continue
            }
        }
        return next
    }
}

extension Planner {
    /// Plans for an interface of the host; `entry` is what the journal holds of it.
    init(recorded state: DeviceState, _ entry: JournalEntry?) {
        var memory = Memory()
        memory.madeHook = entry?.madeHook ?? false
        memory.previousMTU = entry?.previousMTU
        memory.previousSettings = entry?.previousSettings
        memory.isCutOff = entry?.change != nil
        self.init(state, .current(), memory: memory, failsOpen: { KernelFacts.canFailOpen })
    }
}
