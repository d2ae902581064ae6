// SPDX-License-Identifier: Apache-2.0

/// Takes rules away, for good or to be put back.
extension InterfaceSession {
    /// Records that rules are about to be taken away: the one for `selection`, or all of them.
    ///
    /// - Parameter makers: processes whose lanes without traffic are taken away too.
    consuming func beginRemoval(of selection: Selection?, leftBy makers: Set<Int32> = []) -> Removal {
        var plan = selection.map { planner.remove($0, owner: 0) } ?? planner.reset()
        for maker in makers.sorted() { plan.teardown += planner.remove(nil, owner: maker).teardown }
        var next = entry
        next?.suspended.removeAll { selection == nil || $0.selection == selection }
        var notes: [String] = []
        do throws(ConditioningError) {
            try record.begin(leadingTo: next, selection: selection, isRemoval: true)
        } catch {
            // Undoing matters more than its record.
            notes.append(error.message)
        }
        return Removal(plan, of: selection, notes: notes, record)
    }

    /// Takes away lanes without traffic that `makers` left; the rules stay.
    consuming func removeLanes(leftBy makers: Set<Int32>) throws(ConditioningError) -> [String] {
        var plan = Plan()
        for maker in makers.sorted() { plan.teardown += planner.remove(nil, owner: maker).teardown }
        return try executor.tearDown(plan)
    }

    /// Forgets the rule for `selection`, which is off.
    consuming func forgetSuspended(_ selection: Selection) {
        Removal(Plan(), of: selection, record).finish()
    }

    /// Records that all rules are about to be taken away, to be put back later.
    ///
    /// - Throws: `journal` if they cannot be remembered; nothing is changed then.
    consuming func beginSuspension() throws(ConditioningError) -> Removal {
        guard record.isJournalled, var next = entry else {
            throw ConditioningError(
                .journal,
                "the conditions of \(name) cannot be remembered without a journal",
                remedy: "linkcond reset -i \(name)"
            )
        }
        if let rule = state.rules.first(where: { next.rule(for: $0.selection) == nil }) {
            let scope = rule.selection.isEverything ? "" : " for traffic \(rule.selection)"
            throw ConditioningError(
                .journal,
                "the journal does not know the conditions of \(name)\(scope), so they could not be put back",
                remedy: "linkcond reset -i \(name)"
            )
        }
        next.suspended = next.suspended.filter { next.rule(for: $0.selection) == nil } + next.rules
        let plan = planner.reset()
        try record.begin(leadingTo: next, selection: nil, isRemoval: true)
        record.remember(next)
        return Removal(plan, of: nil, keepsSuspended: true, record)
    }
}
