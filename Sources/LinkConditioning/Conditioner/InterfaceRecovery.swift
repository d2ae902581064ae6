// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem
internal import Netlink

/// Repairs one locked interface: takes away, or puts back, what an interrupted process left.
struct InterfaceRecovery {
    let name: String
    let connection: RouteConnection
    let executor: PlanExecutor
    let record: InterfaceRecord
    /// What was repaired, in words for the user.
    private(set) var notes: [String] = []

    init(name: String, connection: RouteConnection, executor: PlanExecutor, record: InterfaceRecord) {
        self.name = name
        self.connection = connection
        self.executor = executor
        self.record = record
    }

    /// Repairs the interface.
    ///
    /// - Returns: its state afterwards.
    mutating func run(_ reading: JournalReading, _ found: DeviceState) throws(ConditioningError) -> DeviceState {
        var state = found
        if case .damaged(let reason) = reading {
            notes.append("the journal of \(name) is not used, since \(reason); the kernel's own marks are")
        }
        // A pump that is being killed loses its devices one by one: what is repaired may be broken again by then.
        for _ in 0..<10 {
            let repair = Repair(
                reading,
                state,
                now: BootClock.now,
                isAlive: \.isAlive,
                makerIsAlive: \.makerIsAlive
            )
            guard !repair.isEmpty else { break }
            _ = try executor.tearDown(planner(state).repair(repair))
            state = try inspect()
            for rule in repair.restored { state = try restore(rule, state) }
            let note = "mended \(name): \(repair.reasons.joined(separator: "; "))"
            if !notes.contains(note) { notes.append(note) }
            guard state.hasDangling else { break }
        }
        record.tidy(reading, present: state.rules.map(\.selection))
        return state
    }

    private func restore(_ rule: JournalEntry.Rule, _ found: DeviceState) throws(ConditioningError) -> DeviceState {
        var plan = Plan()
        do {
            plan = try planner(found).apply(rule.request, rule.engine)
        } catch {
            // The rule cannot be had any more; nothing is better than half of it.
            plan = planner(found).remove(rule.selection, owner: 0)
        }
        // Only a process that starts another pump could put back a rule whose pump is gone, or was being replaced.
        let isReplaced = rule.engine == .userspace && found.orphans.contains(where: \.isPumped)
        if !plan.taps.isEmpty || isReplaced { plan = planner(found).remove(rule.selection, owner: 0) }
        do {
            try executor.carryOut(plan, on: name)
        } catch {
            // Whatever prevents putting it back must not prevent taking it away.
            try executor.carryOut(planner(inspect()).remove(rule.selection, owner: 0), on: name)
        }
        return try inspect()
    }

    private func planner(_ state: DeviceState) -> Planner {
        Planner(state, .current(), memory: Planner.Memory(record.entry))
    }

    private func inspect() throws(ConditioningError) -> DeviceState {
        try Inspector(connection).state(of: name)
    }
}
