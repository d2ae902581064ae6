// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem
internal import Netlink
internal import PacketPump
internal import TrafficControl

/// Repairs one locked interface: removes or restores rules and lanes that an interrupted process left.
struct InterfaceRecovery {
    let name: String
    let connection: RouteConnection
    let machine: any Machine
    let executor: PlanExecutor
    let record: InterfaceRecord
    /// Notes for the user about the repairs.
    private(set) var notes: [String] = []

    /// Repairs the interface.
    ///
    /// - Returns: the interface's state afterwards.
    mutating func run(
        _ reading: JournalReading,
        _ found: DeviceState,
        asksPumps: Bool
    ) throws(ConditioningError) -> DeviceState {
        var (state, intended) = (found, reading)
        if case .damaged(let reason) = reading {
            notes.append("ignoring \(name)'s \(reason) journal entry; using the kernel's state")
        }
        // A pump that is being killed loses its devices one by one, so a repaired interface may break again.
        for _ in 0..<10 {
            let repair = Repair(
                intended,
                state,
                now: machine.now,
                isAlive: machine.isAlive,
                makerIsAlive: machine.makerIsAlive,
                isStopped: { asksPumps && machine.isStopped(tap: $0) }
            )
            guard !repair.isEmpty else { break }
            _ = try executor.tearDown(Planner(recorded: state, record.entry, machine.kernel).repair(repair))
            state = try inspect()
            var lost: [String] = []
            for rule in repair.restored {
                let obstacle: String?
                (state, obstacle) = try restore(rule, state)
                if let obstacle { lost.append("\"\(rule.profile.name)\" is removed, since \(obstacle)") }
            }
            let note = "repaired \(name): \((repair.reasons + lost).joined(separator: "; "))"
            if !notes.contains(note) { notes.append(note) }
            // A rule that was not restored left new lanes, which the next pass must treat as leftovers.
            if !lost.isEmpty { intended.forgetChange() }
            guard state.hasDangling || !state.lanesWithoutPass.isEmpty || !lost.isEmpty else { break }
        }
        if !notes.isEmpty, let journal = record.journal, let entry = record.entry {
            journal.pumpSockets(of: entry).removeUnused()
        }
        let recorded = state.rules.filter { !$0.isHeld(machine.isHeld) }
        record.tidy(reading, present: recorded.map(\.selection))
        return state
    }

    /// Restores a rule as it was before an interrupted change, or removes it if that is impossible.
    ///
    /// - Returns: the interface's state afterwards, and the reason if the rule was removed.
    private func restore(
        _ rule: JournalEntry.Rule,
        _ found: DeviceState
    ) throws(ConditioningError) -> (DeviceState, obstacle: String?) {
        let planner = Planner(recorded: found, record.entry, machine.kernel)
        let obstacle: String
        do {
            let plan = try planner.apply(rule.request, rule.engine)
            // A rule whose pump is gone, or was being replaced, cannot be restored without starting another pump.
            let isReplaced = rule.engine == .userspace && found.orphans.contains(where: \.isPumped)
            if plan.taps.isEmpty, !isReplaced {
                try executor.carryOut(plan, on: name)
                return (try inspect(), nil)
            }
            obstacle = "the process that carried its packets is gone"
        } catch {
            obstacle = error.message
        }
        // Half a rule is worse than none: remove it.
        let state = try inspect()
        let removal = Planner(recorded: state, record.entry, machine.kernel).remove(rule.selection, owner: 0)
        try executor.carryOut(removal, on: name)
        return (try inspect(), obstacle)
    }

    private func inspect() throws(ConditioningError) -> DeviceState {
        try Inspector(connection).state(of: name)
    }
}

extension JournalReading {
    /// Deletes the interrupted change from the entry, so that nothing of it is restored any more.
    fileprivate mutating func forgetChange() {
        guard case .entry(var entry) = self else { return }
        entry.change = nil
        self = .entry(entry)
    }
}
