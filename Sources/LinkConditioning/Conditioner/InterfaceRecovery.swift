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
        var state = found
        if case .damaged(let reason) = reading {
            notes.append("ignoring \(name)'s \(reason) journal entry; using the kernel's state")
        }
        // A pump that is being killed loses its devices one by one, so a repaired interface may break again.
        for _ in 0..<10 {
            let repair = Repair(
                reading,
                state,
                now: machine.now,
                isAlive: machine.isAlive,
                makerIsAlive: machine.makerIsAlive,
                isStopped: { asksPumps && machine.isStopped(tap: $0) }
            )
            guard !repair.isEmpty else { break }
            _ = try executor.tearDown(Planner(recorded: state, record.entry, machine.kernel).repair(repair))
            state = try inspect()
            for rule in repair.restored { state = try restore(rule, state) }
            let note = "repaired \(name): \(repair.reasons.joined(separator: "; "))"
            if !notes.contains(note) { notes.append(note) }
            guard state.hasDangling || !state.lanesWithoutPass.isEmpty else { break }
        }
        let recorded = state.rules.filter { !$0.isHeld(machine.isHeld) }
        record.tidy(reading, present: recorded.map(\.selection))
        return state
    }

    private func restore(_ rule: JournalEntry.Rule, _ found: DeviceState) throws(ConditioningError) -> DeviceState {
        let planner = Planner(recorded: found, record.entry, machine.kernel)
        var plan = try? planner.apply(rule.request, rule.engine)
        // A rule whose pump is gone, or was being replaced, cannot be restored without starting another pump.
        let isReplaced = rule.engine == .userspace && found.orphans.contains(where: \.isPumped)
        if plan?.taps.isEmpty == false || isReplaced { plan = nil }
        do {
            // If the rule is no longer possible, no rule is better than half of it.
            try executor.carryOut(plan ?? planner.remove(rule.selection, owner: 0), on: name)
        } catch {
            // A failure to restore the rule must not prevent its removal.
            let planner = Planner(recorded: try inspect(), record.entry, machine.kernel)
            try executor.carryOut(planner.remove(rule.selection, owner: 0), on: name)
        }
        return try inspect()
    }

    private func inspect() throws(ConditioningError) -> DeviceState {
        try Inspector(connection).state(of: name)
    }
}
