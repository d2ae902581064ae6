// SPDX-License-Identifier: Apache-2.0

/// Taking away what somebody who was stopped has left.
extension Planner {
    /// A plan that takes away what a repair says. Rules that it puts back are applied behind it.
    func repair(_ repair: Repair) -> Plan {
        var plan = Plan()
        let leaving = state.rules.filter { repair.removed.contains($0.selection) }
        let remaining = state.rules.filter { !repair.removed.contains($0.selection) }
        let filters = leaving.flatMap(\.lanes).compactMap(\.filter).sorted { $0.preference > $1.preference }
        plan.retire += (filters + state.danglingFilters).map(Operation.deleteFilter)
        // A lane that stays without filter is being worked on, and the device's own settings with it.
        if !repair.leavesSettings, repair.restored.isEmpty, repair.lanes == state.orphans {
            plan.retire += restoreMTU(remaining: remaining, needsMTU: false)
            plan.retire += removeHook(remaining: remaining, stillNeeded: false)
        }
        for lane in leaving.flatMap(\.lanes) + repair.lanes { plan.retire += retire(lane) }
        return plan
    }
}
