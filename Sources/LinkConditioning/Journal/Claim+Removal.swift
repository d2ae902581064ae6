// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// Taking rules away, for good or to be put back.
extension Claim {
    /// Writes down that rules are about to be taken away: the one for `selection`, or all of them.
    ///
    /// - Returns: a plan that does it, to be carried out before `finishRemoval`.
    public func beginRemoval(of selection: Selection?) -> Plan {
        let plan = selection.map { planner.remove($0, owner: 0) } ?? planner.reset()
        var next = entry
        next?.suspended.removeAll { selection == nil || $0.selection == selection }
        do throws(ConditioningError) {
            try begin(leadingTo: next, selection: selection, isRemoval: true)
        } catch {
            // To undo is more important than to write about it.
            notes.append(error.message)
        }
        return plan
    }

    /// Writes down that they are gone.
    public func finishRemoval(of selection: Selection?) {
        entry?.rules.removeAll { selection == nil || $0.selection == selection }
        entry?.suspended.removeAll { selection == nil || $0.selection == selection }
        forgetSettings()
        settle()
    }

    /// Writes down that all rules are about to be taken away, to be put back later.
    ///
    /// - Returns: a plan that takes them away, to be carried out before `finishSuspension`.
    /// - Throws: `journal` where they cannot be remembered; nothing is changed then.
    public func beginSuspension() throws(ConditioningError) -> Plan {
        guard journal != nil, var next = entry else {
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
        try begin(leadingTo: next, selection: nil, isRemoval: true)
        entry = next
        return plan
    }

    /// Writes down that they are gone, and what they were.
    public func finishSuspension() {
        entry?.rules = []
        forgetSettings()
        settle()
    }

    /// What the interface had before the first rule is of no use once it has that back.
    private func forgetSettings() {
        guard entry?.rules.isEmpty == true else { return }
        entry?.madeHook = false
        entry?.previousMTU = nil
        entry?.previousSettings = nil
    }
}
