// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem
internal import Netlink
internal import PacketPump
internal import TrafficControl

/// Repairs one locked interface: removes or restores what an interrupted process left.
struct InterfaceRecovery {
    let name: String
    let connection: RouteConnection
    let machine: any Machine
    let executor: PlanExecutor
    let record: InterfaceRecord
    /// Notes for the user about what was repaired.
    private(set) var notes: [String] = []

    /// Repairs the interface.
    ///
    /// - Returns: its state afterwards.
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
            // The new lanes of a rule that is not restored are left.
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

    /// Puts a rule back as it was, or removes it.
    ///
    /// - Returns: the state afterwards, and why the rule was removed.
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
        // Half a rule is worse than none.
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
    /// Takes the change that was cut off for ended: nothing of it is to be restored any more.
    fileprivate mutating func forgetChange() {
        guard case .entry(var entry) = self else { return }
        entry.change = nil
        self = .entry(entry)
    }
}
