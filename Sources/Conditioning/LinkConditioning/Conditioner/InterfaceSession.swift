// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem
package import Netlink
internal import PacketPump
internal import TrafficControl

/// The exclusive right to make one change to one interface. `repairing` makes a session after it has repaired what an
/// interrupted process left, so that `state` and `entry` are consistent; the operation that makes the change consumes
/// the session.
///
/// While the session exists, other processes that use the journal wait for the interface or fail with `busy`.
///
/// ## A change, from the lock to the last lane
///
/// 1. Find the index of the interface and the number of its network. These two name the files of the lock and the
///    entry, since an interface's name may change, and the kernel reuses a network's inode.
/// 2. Lock, before anything is read. The kernel releases flock(2) with its process, so a kill leaves no lock behind.
/// 3. Read the kernel's state, then the entry. An entry of another boot, network or interface, or a damaged entry, is
///    ignored: the lanes' aliases in the kernel then decide what to remove. An entry that cannot be read, or that
///    another version wrote, prevents a change. The entry records only facts that the kernel cannot store: the state to
///    return to, when a rule ends, and which process ends it.
/// 4. Repair. With the lock, an unfinished change belongs to no living process; without the lock it might, so nothing
///    is repaired.
/// 5. The caller plans, checks the kernel and starts guardian and pump (``RuleApplication``): all checks come before
///    the first change, and a guardian that exists before the change repairs what a kill during the change leaves.
/// 6. Record the intent: write the entry after the change beside the present entry, which then names the change. If
///    that fails, nothing has changed. A removal records only that it has begun, and proceeds even without a record.
/// 7. Build the lanes, then the filters that redirect packets to them, then compare the kernel with the plan. A failure
///    undoes the completed steps; if that fails too, the intent stays recorded.
/// 8. Commit: rename the file of step 6 over the entry, which needs no disk space. The rule is in effect and recorded.
/// 9. Tear down the lanes that the rule replaces, which have had no traffic since step 7: wait until they have drained,
///    then delete them (``Teardown``, ``Removal``). A removal first deletes the filters of all interfaces, and then
///    waits once for all lanes.
///
/// The guardian, or the next command that opens a session, repairs what a kill leaves:
///
/// - before step 6: the lock's file. A guardian sees the end of its lifeline, finds no rule of its own, ends the pump,
///   and exits;
/// - from step 6 to 8: an entry that names a change. A new rule is removed. A replaced rule is restored, since the
///   entry still has it; but if its pump was being replaced, it is removed: no rule is better than half a rule;
/// - in a removal: an entry that names the removal. The removal is completed;
/// - in step 9: lanes without traffic, whose aliases name a process that has ended. They are deleted.
///
/// A sandbox has no journal: only its supervisor changes it, and everything ends with its network. There is then no
/// lock, no repair and no record; the other steps are the same.
struct InterfaceSession: ~Copyable {
    var name: String { opened.name }
    var state: DeviceState { opened.state }
    /// The result of reading the journal, updated by the repair; a missing or damaged entry is reported as such.
    var reading: JournalReading { opened.reading }
    /// Notes for the user about the repairs.
    var notes: [String] { opened.notes }
    /// The interface's journal entry; nil without a journal.
    var entry: JournalEntry? { record.entry }

    var record: InterfaceRecord { opened.record }
    var executor: PlanExecutor { opened.executor }
    var machine: any Machine { opened.machine }

    // An object, because the optimizer of Swift 6.3.1 releases a stored property of a noncopyable struct too early if a
    // copy of it is used after the struct was consumed.
    private let opened: Opened

    private final class Opened {
        let name: String
        let state: DeviceState
        let executor: PlanExecutor
        let record: InterfaceRecord
        let machine: any Machine
        var reading = JournalReading.absent
        var notes: [String] = []
        var portsTellOpener = false

        init(
            _ name: String,
            _ state: DeviceState,
            _ executor: PlanExecutor,
            _ record: InterfaceRecord,
            _ machine: any Machine
        ) {
            (self.name, self.state, self.executor, self.record) = (name, state, executor, record)
            self.machine = machine
        }
    }

    /// What a session is for, which decides whether it proceeds if the journal cannot be used.
    enum Purpose: Sendable {
        /// A change, which must be recorded before it takes effect.
        case change
        /// A removal, which matters more than its record. It does not ask pumps whether they still work: that takes
        /// seconds if they do not.
        case removal
        /// A guardian's removal, which can be repeated later: it does not proceed if the journal cannot be read.
        case ending
        /// Nothing but the repair, as far as it is possible.
        case repair
    }

    /// Locks the interface called `name`, waiting up to `lockTimeout` for another process to finish, and repairs the
    /// interface. Without a journal, it does neither.
    ///
    /// - Parameter portsTellOpener: whether the network namespace is new, so that the ephemeral ports show which side
    ///   opened a loopback flow; see ``Planner``.
    /// - Throws: `notFound` if there is no such interface; `busy`, naming the process, if another process keeps
    ///   changing it; `journal`; or the reason why it cannot be repaired.
    static func repairing(
        _ name: String,
        _ connection: RouteConnection,
        home: RouteConnection? = nil,
        on machine: any Machine = .real,
        journal: Journal?,
        command: String = "",
        for purpose: Purpose = .change,
        lockTimeout: Duration = .seconds(2),
        portsTellOpener: Bool = false
    ) throws(ConditioningError) -> InterfaceSession {
        let executor = machine.executor(connection, home: home)
        let index = try kernelAnswer(connection.link(named: name)).index
        var notes: [String] = []
        var network: JournalNetwork?
        do {
            if journal != nil { network = try journalAnswer(machine.journalNetwork(marksIfNeeded: purpose == .change)) }
        } catch {
            guard purpose == .removal else { throw error }
            notes.append(error.message)
        }
        guard let journal, let network else {
            let state = try Inspector(connection).state(of: name)
            let opened = Opened(name, state, executor, InterfaceRecord(), machine)
            opened.portsTellOpener = portsTellOpener
            opened.notes = notes
            return InterfaceSession(opened)
        }
        var lock: (any FileLock)?
        do {
            lock = try journal.lock(index, in: network, command: command, lockTimeout: lockTimeout)
        } catch {
            let error = Self.error(error, name)
            guard purpose == .removal || purpose == .repair, error.code == .journal else { throw error }
            notes.append(error.message)
        }
        var state = try Inspector(connection).state(of: name)
        let hasFilters = !state.rules.isEmpty || !state.danglingFilters.isEmpty
        var reading = journal.read(index, in: network).about(name, address: state.link.address, hasFilters: hasFilters)
        if case .otherVersion(let version) = reading, purpose == .change {
            throw ConditioningError(
                .journal,
                "the journal of \(name) was written by another version of linkcond (format \(version))",
                remedy: Remedy(.reset, name)
            )
        }
        if case .unreadable(let failure) = reading {
            let error = ConditioningError(reading: failure)
            guard purpose == .removal else { throw error }
            notes.append(error.message)
        }
        var entry = JournalEntry(network: network, index: index, name: name, address: state.link.address)
        if case .entry(let found) = reading { entry = found }
        let record = InterfaceRecord(entry, journal, lock, command: command, isUnreadable: reading.isUnreadable)
        // Without the lock, an apparent leftover may be another process's change in progress.
        if lock != nil {
            var recovery = InterfaceRecovery(
                name: name,
                connection: connection,
                machine: machine,
                executor: executor,
                record: record
            )
            state = try recovery.run(reading, state, asksPumps: purpose == .change || purpose == .repair)
            notes += recovery.notes
        }
        if case .entry = reading, let entry = record.entry { reading = .entry(entry) }
        let opened = Opened(name, state, executor, record, machine)
        (opened.reading, opened.notes) = (reading, notes)
        return InterfaceSession(opened)
    }

    private init(_ opened: Opened) { self.opened = opened }

    /// - Parameter failure: the reason why the lock was not acquired; if another process has it, the text that this
    ///   process wrote into the lock, which starts with its ID.
    static func error(_ failure: InterfaceLock.Failure, _ name: String) -> ConditioningError {
        let holder: String
        switch failure {
        case .file(let error): return ConditioningError(journal: error)
        case .busy(let text): holder = text
        }
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

    /// The sockets of the interface's pumps; nil without a journal.
    var pumpSockets: PumpSockets? { record.journal.flatMap { journal in entry.map { journal.pumpSockets(of: $0) } } }

    var planner: Planner {
        // Without a journal the network is a sandbox's: if its pump fails, packets are dropped rather than sent
        // unconditioned.
        guard let entry else { return Planner(state, machine.kernel, portsTellOpener: opened.portsTellOpener) }
        return Planner(recorded: state, entry, machine.kernel)
    }

    /// Carries out `plan`, which applies a rule, and records the rule. The caller has checked that the kernel meets the
    /// plan's requirements.
    ///
    /// - Returns: the old lanes, to be deleted now that the rule is in effect.
    /// - Throws: the failure, after undoing the completed steps.
    consuming func apply(_ rule: JournalEntry.Rule, as plan: Plan) throws(ConditioningError) -> Teardown {
        let (record, before) = (record, entry)
        let next = before?.applying(rule, plan)
        // If no lane is added, the rule stays in the entry until its lanes are gone.
        let isRemoval = !plan.hasLanes
        try record.begin(leadingTo: next, selection: rule.selection, isRemoval: isRemoval, commits: true)
        do {
            try executor.build(plan, on: name) { () throws(ConditioningError) in
                if !isRemoval { try record.commit(next) }
            }
        } catch {
            // If some steps could not be undone, the entry keeps the unfinished change for the next command to find.
            if !error.isIncomplete { record.restore(before) }
            throw error
        }
        return Teardown(plan: plan, executor: executor, record: record, next: isRemoval ? next : nil)
    }

    /// Changes the record of rules in effect.
    ///
    /// - Throws: `journal` if the record cannot be written; it is unchanged then.
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
    /// The entry to commit afterwards; nil if it has been committed already.
    fileprivate let next: JournalEntry?

    /// Waits until the old lanes have drained, and deletes them.
    ///
    /// - Parameter connection: a connection that the calling thread opened; nil if this thread made the plan.
    /// - Returns: messages about packets that lanes still held when they were deleted.
    package func finish(over connection: RouteConnection? = nil) throws(ConditioningError) -> [String] {
        let losses = try (connection.map { executor.over($0) } ?? executor).tearDown(plan)
        // If the commit fails, the entry with the change stays, and the next command writes the final entry.
        try? record.commit(next)
        return losses
    }

    /// Whether the plan has nothing to delete.
    package var isEmpty: Bool { plan.teardown.isEmpty }
}

extension JournalEntry {
    /// The entry after `plan` has applied `rule`.
    fileprivate func applying(_ rule: Rule, _ plan: Plan) -> JournalEntry {
        var next = self
        next.suspended.removeAll { $0.selection == rule.selection }
        // A changed rule keeps its position: of equally specific rules, the one added last precedes the others.
        if let index = next.rules.firstIndex(where: { $0.selection == rule.selection }) {
            next.rules[index] = rule
            if !plan.hasLanes { next.rules.remove(at: index) }
        } else if plan.hasLanes {
            next.rules.append(rule)
        }
        for step in plan.build {
            switch step {
            case .kernel(.addHook): next.originals.madeHook = true
            case .kernel(.setMTU(_, _, let previous)): next.originals.previousMTU = previous
            case .setLoopback(_, _, let previous): next.originals.previousSettings = previous
            default: continue
            }
        }
        return next
    }
}

extension Planner {
    /// Makes a planner for an interface of the host; `entry` is its journal entry, if any.
    init(recorded state: DeviceState, _ entry: JournalEntry?, _ kernel: KernelFacts) {
        var originals = entry?.originals ?? OriginalSettings()
        originals.isCutOff = entry?.change != nil
        self.init(state, kernel, originals: originals, failsOpen: { KernelFacts.canFailOpen })
    }
}
