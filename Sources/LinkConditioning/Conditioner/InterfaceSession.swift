// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem
internal import Netlink

/// The right to make one change to one interface. It begins by repairing what an interrupted process left, so that
/// `state` and `entry` can be relied on, and ends with the one operation that consumes it.
///
/// While it exists, other processes that use the journal wait for the interface or give up with `busy`.
public struct InterfaceSession: ~Copyable {
    /// The interface's name.
    public let name: String
    /// What is on the interface.
    public let state: DeviceState
    /// What was found in the journal, as it is after the repair; an entry that is missing or damaged is reported so.
    public let reading: JournalReading
    /// What was repaired, in words for the user.
    public let notes: [String]
    /// What the journal says of the interface; nil without a journal.
    public var entry: JournalEntry? { record.entry }

    let record: InterfaceRecord
    let executor: PlanExecutor
    private let portsTellOpener: Bool

    /// What to do if the journal cannot be written.
    public enum Strictness: Sendable {
        /// Refuse: a change must be recorded before it takes effect.
        case strict
        /// Go ahead: undoing matters more than its record.
        case lenient
    }

    /// Locks the interface called `name`, waiting `patience` for another process to finish, and repairs it.
    ///
    /// - Throws: `notFound` if there is no such interface; `busy`, naming the process, if another process goes on
    ///   changing it; `journal`; or the reason why it cannot be repaired.
    init(
        _ name: String,
        _ connection: RouteConnection,
        home: RouteConnection? = nil,
        journal: Journal?,
        command: String,
        patience: Duration = .seconds(2),
        strictness: Strictness = .strict
    ) throws(ConditioningError) {
        let executor = PlanExecutor(connection, home: home)
        let found = try Self.find(
            name,
            connection,
            executor,
            journal: journal,
            command: command,
            patience: patience,
            strictness: strictness
        )
        self.name = name
        self.executor = executor
        state = found.state
        reading = found.reading
        notes = found.notes
        record = found.record
        portsTellOpener = false
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
        strictness: Strictness
    ) throws(ConditioningError) -> Found {
        let link = try link(name, connection)
        guard let journal, let place = JournalPlace.current else {
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
                remedy: "linkcond reset -i \(name)"
            )
        }
        var entry = JournalEntry(place: place, index: link.index, name: name, address: state.link.address)
        if case .entry(let found) = reading { entry = found }
        let record = InterfaceRecord(entry, journal, lock, command: command)
        // Without the lock, what looks left behind may be another process's change in progress.
        if lock != nil {
            var recovery = InterfaceRecovery(name: name, connection: connection, executor: executor, record: record)
            state = try recovery.run(reading, state)
            notes += recovery.notes
        }
        if case .entry = reading, let entry = record.entry { reading = .entry(entry) }
        return Found(state: state, reading: reading, notes: notes, record: record)
    }

    /// Begins a change that no journal records, as in a network that ends with its processes.
    ///
    /// - Parameter portsTellOpener: whether the network is new and its ephemeral ports tell which side of a loopback
    ///   flow opened it; see ``Planner``.
    init(
        unrecorded name: String,
        _ connection: RouteConnection,
        home: RouteConnection? = nil,
        portsTellOpener: Bool = false
    ) throws(ConditioningError) {
        self.name = name
        state = try Inspector(connection).state(of: name)
        reading = .absent
        notes = []
        record = InterfaceRecord(nil, nil, nil, command: "")
        executor = PlanExecutor(connection, home: home)
        self.portsTellOpener = portsTellOpener
    }

    private static func link(_ name: String, _ connection: RouteConnection) throws(ConditioningError) -> Link {
        do {
            return try connection.link(named: name)
        } catch {
            throw ConditioningError(error)
        }
    }

    private static func error(_ failure: InterfaceLock.Failure, _ name: String) -> ConditioningError {
        switch failure {
        case .busy(let holder):
            ConditioningError(
                .busy,
                "\(name) is being changed by \(holder.isEmpty ? "another process" : "process \(holder)")",
                remedy: "the same again when that has ended"
            )
        case .file(let error): ConditioningError(journal: error)
        }
    }

    /// Plans for the interface as it is.
    var planner: Planner {
        Planner(state, .current(), portsTellOpener: portsTellOpener, memory: Planner.Memory(entry))
    }

    /// Gives the interface a rule as `plan` says, and records who did. The caller has checked that the kernel meets the
    /// plan's requirements.
    ///
    /// - Returns: what is left to be taken away, now that the rule holds.
    /// - Throws: the failure, after undoing what had been done.
    consuming func apply(_ rule: JournalEntry.Rule, as plan: Plan) throws(ConditioningError) -> Teardown {
        let (record, before) = (record, entry)
        let next = before?.applying(rule, plan)
        try record.begin(leadingTo: next, selection: rule.selection, isRemoval: false)
        do {
            try executor.build(plan, on: name) { () throws(ConditioningError) in try record.commit(next) }
        } catch {
            // If something is left, the next command recognises that by the change that the entry still names.
            if !error.isIncomplete { record.restore(before) }
            throw error
        }
        return Teardown(plan: plan, executor: executor, record: record)
    }

    /// Corrects what the entry says of the rules that are there.
    ///
    /// - Throws: `journal` if it cannot be written; it is unchanged then.
    consuming func amend(_ change: (inout JournalEntry) -> Void) throws(ConditioningError) {
        try record.amend(change)
    }

    /// Ends the session without a change.
    consuming func close() {}
}

/// What a new rule no longer needs, to be taken away once the rule holds. It keeps the interface locked.
struct Teardown {
    /// The plan whose new lanes are in place.
    let plan: Plan
    fileprivate let executor: PlanExecutor
    fileprivate let record: InterfaceRecord

    /// Lets the old lanes drain and takes them away.
    ///
    /// - Returns: what a lane still held when it was deleted, in words.
    func finish() throws(ConditioningError) -> [String] { try executor.tearDown(plan) }
}

extension JournalEntry {
    /// The entry after `rule` was applied by `plan`.
    fileprivate func applying(_ rule: Rule, _ plan: Plan) -> JournalEntry {
        var next = self
        next.rules.removeAll { $0.selection == rule.selection }
        next.suspended.removeAll { $0.selection == rule.selection }
        if !plan.expected.isEmpty { next.rules.append(rule) }
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

extension Planner.Memory {
    /// What the journal remembers of an interface.
    init(_ entry: JournalEntry?) {
        self.init()
        madeHook = entry?.madeHook ?? false
        previousMTU = entry?.previousMTU
        previousSettings = entry?.previousSettings
        isCutOff = entry?.change != nil
    }
}
