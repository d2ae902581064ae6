// SPDX-License-Identifier: Apache-2.0

internal import Netlink
internal import TrafficControl

/// A recorded removal of rules from one interface, which `Removal.carryOut` performs. It keeps the interface locked.
struct Removal {
    let plan: Plan
    /// The traffic of the rule; nil for every rule.
    let selection: Selection?
    let record: InterfaceRecord
    /// The entry after a suspension, which `begin` has written beside the present one; nil if the rules are to be
    /// forgotten.
    var suspension: JournalEntry?
    /// Notes for the user about what could not be recorded.
    var notes: [String] = []

    /// Removes rules from several interfaces. Deletes the filters of all interfaces before it waits for any lane; a
    /// failure on one does not stop the others.
    ///
    /// - Parameters:
    ///   - abandoned: lanes of interfaces that no longer exist, to be deleted too.
    ///   - isPatient: whether to let lanes drain.
    /// - Returns: messages about packets that lanes still held when they were deleted.
    static func carryOut(
        _ removals: [Removal],
        abandoned: [LaneState] = [],
        isPatient: Bool = true,
        by executor: PlanExecutor
    ) throws(ConditioningError) -> [String] {
        let steps = removals.flatMap(\.plan.teardown) + abandoned.map { .kernel(.deleteDevice($0.name.description)) }
        var plan = Plan()
        plan.teardown = (0...2).flatMap { turn in steps.filter { $0.turn == turn } }
        if !isPatient { plan.teardown.removeAll(where: \.isDrain) }
        let losses = try executor.tearDown(plan)
        for removal in removals { removal.finish() }
        return losses
    }

    /// Records that the rules are gone.
    func finish() {
        if let suspension {
            // If the commit fails, the entry that names the change stays, which has the same effect.
            try? record.commit(suspension)
            return
        }
        // An entry that could not be read may hold other rules.
        if record.isUnreadable, selection != nil { return }
        record.settle { entry in
            entry.rules.removeAll { selection == nil || $0.selection == selection }
            entry.suspended.removeAll { selection == nil || $0.selection == selection }
            guard entry.rules.isEmpty else { return }
            // The interface's earlier settings are restored, so they need no record.
            entry.originals = Planner.OriginalSettings()
        }
    }
}

extension PlanStep {
    /// The step's turn among the steps on several interfaces: first the filters, which frees the traffic; then the
    /// settings, after a pump that still uses them has drained; then the lanes, whose aliases record those settings.
    fileprivate var turn: Int {
        switch self {
        case .kernel(.deleteFilter), .kernel(.changeRootQdisc): 0
        case .drain(.ifb, _), .drain(.root, _), .kernel(.deleteDevice), .kernel(.deleteRootQdisc): 2
        default: 1
        }
    }
}
