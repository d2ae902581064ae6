// SPDX-License-Identifier: Apache-2.0

internal import Netlink

/// Rules of one interface that are recorded as being taken away; `Removal.carryOut` does it. It keeps the interface
/// locked.
struct Removal {
    /// What is to be done.
    let plan: Plan
    /// What could not be recorded, in words for the user.
    let notes: [String]
    private let selection: Selection?
    private let keepsSuspended: Bool
    private let record: InterfaceRecord

    init(
        _ plan: Plan,
        of selection: Selection?,
        keepsSuspended: Bool = false,
        notes: [String] = [],
        _ record: InterfaceRecord
    ) {
        self.plan = plan
        self.selection = selection
        self.keepsSuspended = keepsSuspended
        self.notes = notes
        self.record = record
    }

    /// Takes rules away from several interfaces. Every interface is free before any lane is waited for, and a failure
    /// does not keep the rest from being taken away.
    ///
    /// - Parameters:
    ///   - abandoned: lanes of interfaces that are gone, to be deleted too.
    ///   - isPatient: whether to let lanes drain.
    /// - Returns: what a lane still held when it was deleted, in words.
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
        record.settle { entry in
            entry.rules.removeAll { selection == nil || $0.selection == selection }
            if !keepsSuspended { entry.suspended.removeAll { selection == nil || $0.selection == selection } }
            guard entry.rules.isEmpty else { return }
            // What the interface had before the first rule is of no use once it has that back.
            entry.madeHook = false
            entry.previousMTU = nil
            entry.previousSettings = nil
        }
    }
}

extension Step {
    /// The order of steps on several interfaces: first what sets traffic free; then what is restored, after a pump that
    /// needs its way back has drained; then the lanes, which remember what to restore.
    fileprivate var turn: Int {
        switch self {
        case .kernel(.deleteFilter): 0
        case .drain(.ifb, _), .kernel(.deleteDevice): 2
        default: 1
        }
    }
}
