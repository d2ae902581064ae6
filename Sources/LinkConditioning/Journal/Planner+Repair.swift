// SPDX-License-Identifier: Apache-2.0

/// Taking away what somebody who was stopped has left.
extension Planner {
    /// A plan that takes away what a repair says. Rules that it puts back are applied behind it.
    func repair(_ repair: Repair) -> Plan {
        var plan = Plan()
        let leaving = state.rules.filter { repair.removed.contains($0.selection) }.flatMap(\.lanes)
        let remaining = state.rules.filter { !repair.removed.contains($0.selection) }
        plan.teardown += deleteFilters(of: leaving)
        // A lane that stays without filter is being worked on, and the device's own settings with it.
        let isAll = !repair.leavesSettings && repair.restored.isEmpty && repair.lanes == state.orphans
        plan.teardown += clear(leaving + repair.lanes, remaining: remaining, isAll ? Needs() : .all)
        return plan
    }
}
