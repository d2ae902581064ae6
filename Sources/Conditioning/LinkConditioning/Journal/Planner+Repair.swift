// SPDX-License-Identifier: Apache-2.0

internal import TrafficControl

extension Planner {
    /// A plan for the removals of a repair. The rules that the repair restores are applied afterwards.
    func repair(_ repair: Repair) throws(ConditioningError) -> Plan {
        var plan = Plan()
        let leaving = state.rules.filter { repair.removed.contains($0.selection) }.flatMap(\.lanes)
        let remaining = state.rules.filter { !repair.removed.contains($0.selection) }
        if repair.hasBrokenReturns { plan.teardown += try returns() }
        plan.teardown += deleteFilters(of: leaving)
        // A lane without a filter that is not deleted is in use by another process, and so are the device's settings.
        let isAll = !repair.leavesSettings && repair.restored.isEmpty && repair.lanes == state.orphans
        plan.teardown += clear(leaving + repair.lanes, remaining: remaining, isAll ? .none : .all)
        if repair.hasStoppedPump { plan.teardown.removeAll(where: \.isDrain) }
        return plan
    }
}
