// SPDX-License-Identifier: Apache-2.0

internal import TrafficControl

extension InterfaceSession {
    /// Plans the removal of the rule for `selection`, or of every rule if nil, and records that it is about to happen.
    ///
    /// - Parameter makers: the IDs of processes whose lanes without traffic are removed too.
    consuming func beginRemoval(of selection: Selection?, leftBy makers: Set<Int32> = []) -> Removal {
        var plan = selection.map { planner.remove($0, owner: 0) } ?? planner.reset(sparing: machine.isHeld)
        plan.teardown += planner.lanes(leftBy: makers)
        var next = entry
        next?.suspended.removeAll { selection == nil || $0.selection == selection }
        var notes: [String] = []
        do throws(ConditioningError) {
            try record.begin(leadingTo: next, selection: selection, isRemoval: true, commits: false)
        } catch {
            // The removal matters more than its record.
            notes.append(error.message)
        }
        return Removal(plan: plan, selection: selection, record: record, notes: notes)
    }

    /// Deletes the lanes without traffic that the processes `makers` left; the rules stay.
    consuming func removeLanes(leftBy makers: Set<Int32>) throws(ConditioningError) -> [String] {
        var plan = Plan()
        plan.teardown = planner.lanes(leftBy: makers)
        return try executor.tearDown(plan)
    }

    /// Deletes the record of the suspended rule for `selection`.
    ///
    /// - Throws: `journal` if the record cannot be deleted.
    consuming func forgetSuspended(_ selection: Selection) throws(ConditioningError) {
        let record = record
        Removal(plan: Plan(), selection: selection, record: record).finish()
        if let error = record.outdated { throw ConditioningError(outdated: error) }
    }

    /// Plans the suspension of all rules, and records that it is about to happen.
    ///
    /// - Throws: `journal` if the rules cannot be recorded; nothing is changed then.
    consuming func beginSuspension() throws(ConditioningError) -> Removal {
        guard record.isJournalled, var next = entry else {
            throw ConditioningError(
                .journal,
                "cannot suspend the conditions of \(name) without a journal",
                remedy: Remedy(.reset, name)
            )
        }
        if let rule = state.rules.first(where: { next.rule(for: $0.selection) == nil }) {
            let scope = rule.selection.isEverything ? "" : " for \(rule.selection.words)"
            throw ConditioningError(
                .journal,
                "the journal has no record of the conditions of \(name)\(scope), so they could not be resumed",
                remedy: Remedy(.reset, name)
            )
        }
        next.suspended = next.suspended.filter { next.rule(for: $0.selection) == nil } + next.rules
        let plan = planner.reset()
        next.rules = []
        // The interface's earlier settings are restored, so they need no record.
        next.originals = Planner.OriginalSettings()
        try record.begin(leadingTo: next, selection: nil, isRemoval: true, commits: true)
        return Removal(plan: plan, selection: nil, record: record, suspension: next)
    }
}

extension Planner {
    /// The steps that delete the lanes without traffic that the processes `makers` left.
    fileprivate func lanes(leftBy makers: Set<Int32>) -> [PlanStep] {
        makers.sorted().flatMap { remove(nil, owner: $0).teardown }
    }
}
