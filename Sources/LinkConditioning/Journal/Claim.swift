// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import LinuxSystem
public import Netlink

/// The right to change one interface, from before the first look at it to the end of the last change. Whoever takes
/// one finds the interface mended: what somebody who was stopped midway had left is gone.
public final class Claim {
    /// The interface's name.
    public let name: String
    /// What is on the interface now.
    public private(set) var state: DeviceState
    /// What the journal says of it; nil where there is no journal.
    public internal(set) var entry: JournalEntry?
    /// What was found in the journal, as it is after mending: an entry that is missing or damaged stays so here.
    public private(set) var reading = JournalReading.absent
    /// What was mended, in words for the user.
    public internal(set) var notes: [String] = []

    private let connection: RouteConnection
    private let home: RouteConnection
    let journal: Journal?
    private var lock: InterfaceLock?
    private let command: String

    /// What to do where the journal does not let itself be written.
    public enum Strictness: Sendable {
        /// Nothing may be changed then: what takes effect must be written down first.
        case strict
        /// Undoing goes ahead all the same.
        case lenient
    }

    /// Takes the interface called `name`, waiting for whoever is changing it as long as `patience` lets.
    ///
    /// - Throws: `notFound` where there is no such interface, `busy` where somebody else goes on changing it, naming
    ///   the process; `journal`; or what stood in the way of mending.
    public init(
        _ name: String,
        _ connection: RouteConnection,
        home: RouteConnection? = nil,
        journal: Journal?,
        command: String,
        patience: Duration = .seconds(2),
        strictness: Strictness = .strict
    ) throws(ConditioningError) {
        self.name = name
        self.connection = connection
        self.home = home ?? connection
        self.command = command
        let link: Link
        do {
            link = try connection.link(named: name)
        } catch {
            throw ConditioningError(error)
        }
        let place = journal == nil ? nil : JournalPlace.current
        self.journal = place == nil ? nil : journal
        guard let journal, let place else {
            state = try Self.inspect(name, connection)
            return
        }
        do {
            lock = try journal.lock(link.index, in: place, command: command, patience: patience)
        } catch {
            let error = Self.error(error, name)
            guard strictness == .lenient, error.code == .journal else { throw error }
            notes.append(error.message)
        }
        state = try Self.inspect(name, connection)
        let hasFilters = !state.rules.isEmpty || !state.danglingFilters.isEmpty
        reading = journal.read(link.index, in: place)
            .about(name, address: state.link.address, hasFilters: hasFilters)
        if case .otherVersion(let version) = reading, strictness == .strict {
            throw ConditioningError(
                .journal,
                "the journal of \(name) was written by another version of linkcond (format \(version))",
                remedy: "linkcond reset -i \(name)"
            )
        }
        if case .entry(let found) = reading {
            entry = found
        } else {
            entry = JournalEntry(place: place, index: link.index, name: name, address: state.link.address)
        }
        // Without the lock, what looks as if it were left may be somebody's work in progress.
        if lock != nil { try mend(reading) }
        if case .entry = reading, let entry { reading = .entry(entry) }
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

    /// Plans for the interface as it is now.
    public var planner: Planner {
        var memory = Planner.Memory()
        memory.madeHook = entry?.madeHook ?? false
        memory.previousMTU = entry?.previousMTU
        memory.previousSettings = entry?.previousSettings
        memory.isCutOff = entry?.change != nil
        return Planner(state, .current(), memory: memory)
    }

    private var conditioner: Conditioner { Conditioner(connection, home: home) }

    private static func inspect(
        _ name: String,
        _ connection: RouteConnection
    ) throws(ConditioningError) -> DeviceState {
        do {
            return try Inspector(connection).device(named: name)
        } catch {
            throw ConditioningError(error)
        }
    }

    // MARK: Mending

    private func mend(_ reading: JournalReading) throws(ConditioningError) {
        if case .damaged(let reason) = reading {
            notes.append("the journal of \(name) is not used, since \(reason); the kernel's own marks are")
        }
        // A pump that is being killed loses its devices one by one: what is mended may be broken again by then.
        for _ in 0..<10 {
            let repair = Repair(
                reading,
                state,
                now: BootClock.now,
                isAlive: \.isAlive,
                makerIsAlive: \.makerIsAlive
            )
            guard !repair.isEmpty else { break }
            _ = try conditioner.retire(planner.repair(repair))
            state = try Self.inspect(name, connection)
            for rule in repair.restored { try restore(rule) }
            let note = "mended \(name): \(repair.reasons.joined(separator: "; "))"
            if !notes.contains(note) { notes.append(note) }
            guard state.hasDangling else { break }
        }
        tidy(reading)
    }

    private func restore(_ rule: JournalEntry.Rule) throws(ConditioningError) {
        var plan = Plan()
        do {
            plan = try planner.apply(rule.request, rule.engine)
        } catch {
            // What was there cannot be had any more; nothing is better than half of something.
            plan = planner.remove(rule.selection, owner: 0)
        }
        // Its pump is gone, or was being replaced: only a process that starts another could put the rule back.
        let isReplaced = rule.engine == .userspace && state.orphans.contains(where: \.isPumped)
        if !plan.taps.isEmpty || isReplaced { plan = planner.remove(rule.selection, owner: 0) }
        do {
            try conditioner.carryOut(plan, on: name)
        } catch {
            // Nothing is to stand in the way of taking things off.
            state = try Self.inspect(name, connection)
            try conditioner.carryOut(planner.remove(rule.selection, owner: 0), on: name)
        }
        state = try Self.inspect(name, connection)
    }

    /// Lets the entry say what is there.
    private func tidy(_ reading: JournalReading) {
        guard let journal, var tidied = entry else { return }
        let present = state.rules.map(\.selection)
        tidied.change = nil
        tidied.rules.removeAll { !present.contains($0.selection) }
        if case .entry(let found) = reading, found == tidied { return }
        entry = tidied
        if reading == .absent, tidied.isEmpty { return }
        // What cannot be written now is found out again by the next.
        try? journal.write(tidied)
    }

    // MARK: Changing

    /// Gives the interface a rule as `plan` says, and writes down who did. Whether the kernel has all of the plan's
    /// requirements is asked before.
    ///
    /// - Parameter ready: called when the rule is there and before anything old is taken away.
    /// - Returns: what a lane still held when it was deleted, in words.
    /// - Throws: the failure, after undoing what had been done.
    public func put(
        _ rule: JournalEntry.Rule,
        as plan: Plan,
        ready: () -> Void = {}
    ) throws(ConditioningError) -> [String] {
        let before = entry
        var next = entry
        next?.rules.removeAll { $0.selection == rule.selection }
        next?.suspended.removeAll { $0.selection == rule.selection }
        if !plan.expected.isEmpty { next?.rules.append(rule) }
        for operation in plan.build {
            if case .addHook = operation { next?.madeHook = true }
            if case .setMTU(_, _, let previous) = operation { next?.previousMTU = previous }
            if case .setLoopback(_, _, let previous) = operation { next?.previousSettings = previous }
        }
        try begin(leadingTo: next, selection: rule.selection, isRemoval: false)
        do {
            try conditioner.build(plan, on: name) { () throws(ConditioningError) in try self.commit(next) }
        } catch {
            // Where something is left, the next to come finds out by the change that the entry still speaks of.
            if !error.isIncomplete { giveBack(before) }
            throw error
        }
        ready()
        return try conditioner.retire(plan)
    }

    /// Lets `change` correct what the entry says of the rules that are there.
    ///
    /// - Throws: `journal` where it cannot be written; it is as it was then.
    public func amend(_ change: (inout JournalEntry) -> Void) throws(ConditioningError) {
        guard let journal, var next = entry else { return }
        change(&next)
        do {
            try journal.write(next)
        } catch {
            throw ConditioningError(journal: error)
        }
        entry = next
    }

    /// Gives the right up.
    public func release() {
        // A file for each interface that ever was would be something left behind.
        if entry?.isEmpty == true { lock?.forget() }
        lock = nil
    }

    /// Writes down that a change begins, and what it leads to.
    func begin(
        leadingTo next: JournalEntry?,
        selection: Selection?,
        isRemoval: Bool
    ) throws(ConditioningError) {
        guard let journal, let next, var changing = entry else { return }
        (changing.madeHook, changing.previousMTU) = (next.madeHook, next.previousMTU)
        changing.previousSettings = next.previousSettings
        if isRemoval { changing.suspended = next.suspended }
        changing.change = JournalEntry.Change(
            owner: .current,
            command: command,
            selection: selection,
            isRemoval: isRemoval
        )
        do {
            try isRemoval ? journal.write(changing) : journal.begin(changing, leadingTo: next)
        } catch {
            throw ConditioningError(journal: error)
        }
    }

    private func commit(_ next: JournalEntry?) throws(ConditioningError) {
        guard let journal, let next else { return }
        do {
            try journal.commit(next)
        } catch {
            throw ConditioningError(journal: error)
        }
        entry = next
    }

    private func giveBack(_ before: JournalEntry?) {
        guard let journal, let before else { return }
        try? journal.remove(before)
        try? journal.write(before)
    }

    /// Writes the entry down as it is.
    func settle() {
        guard let journal, let entry else { return }
        do {
            try journal.write(entry)
        } catch {
            // Better no entry than one that is not true.
            try? journal.remove(entry)
        }
    }
}
