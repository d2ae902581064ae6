// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem
internal import TrafficControl

/// The repairs that an interface needs before any other change.
///
/// The caller holds the interface's lock. Therefore a change that the journal records as begun was interrupted, and a
/// lane without a filter is left over, unless its maker is alive and may use another journal. Lanes of a run in this
/// journal, and of an interrupted removal, are deleted even if their maker is alive.
struct Repair: Hashable {
    var removed: [Selection] = []
    var restored: [JournalEntry.Rule] = []
    /// The lanes to delete; no filter redirects to them.
    var lanes: [LaneState] = []
    /// Whether a pump has stopped, so that waiting for its packets is useless.
    var hasStoppedPump = false
    /// Whether to delete filters whose device is gone.
    var hasDanglingFilters = false
    /// Whether to add filters again that another program has deleted, so that a pump's packets return.
    var hasBrokenReturns = false
    /// Whether to restore the interface's settings, which only the journal records.
    var restoresSettings = false
    /// Whether to leave the interface's settings as they are: the lanes belong to an earlier interface with the same
    /// index.
    var leavesSettings = false
    /// The reasons, for the user.
    var reasons: [String] = []

    /// The time after a deadline before other processes act in the guardian's place.
    static let grace = Duration.seconds(2)

    var isEmpty: Bool {
        removed.isEmpty && restored.isEmpty && lanes.isEmpty && !hasDanglingFilters && !hasBrokenReturns
            && !restoresSettings
    }

    /// Compares the journal with the state of the interface.
    ///
    /// - Parameter isStopped: whether the pump that serves a TAP device leaves all queries unanswered. Its guardian
    ///   normally ends such a pump, unless the guardian was stopped too.
    init(
        _ reading: JournalReading,
        _ state: DeviceState,
        now: Duration,
        isAlive: (ProcessIdentity) -> Bool,
        makerIsAlive: (LaneAlias) -> Bool,
        isStopped: (String) -> Bool = { _ in false }
    ) {
        // A running supervisor repairs the rules that it holds itself.
        let held = state.rules.filter { rule in rule.isHeld { $0.isHeld && makerIsAlive($0) } }
        var state = state
        state.rules.removeAll(where: held.contains)
        let present = state.rules.map(\.selection)
        if case .entry(let entry) = reading {
            if let change = entry.change { finish(change, entry, state, isShared: !held.isEmpty) }
            // A rule whose change was interrupted may have no filter left, but may still be over.
            let affected = present + restored.map(\.selection)
            for rule in entry.rules where affected.contains(rule.selection) {
                guard let reason = rule.ending?.isOver(now: now, isAlive: isAlive) else { continue }
                remove(rule.selection, because: reason)
            }
        }
        for rule in state.rules {
            guard let lane = rule.lanes.first(where: \.isPumped), isStopped(lane.name.description) else { continue }
            hasStoppedPump = true
            remove(rule.selection, because: "the process that carried \"\(rule.alias?.profile ?? "")\" has stopped")
        }
        if case .otherInterface = reading { leavesSettings = true }
        // Restoring a rule deletes all lanes without a filter.
        if restored.isEmpty {
            lanes = state.orphans.filter { !makerIsAlive($0.alias) || reading.isLeft($0.alias) }
        }
        hasDanglingFilters = held.isEmpty && state.hasDangling
        hasBrokenReturns =
            held.isEmpty && removed.isEmpty && restored.isEmpty
            && !(state.lanesWithoutReturn + state.lanesWithoutPass).isEmpty
        if hasBrokenReturns { reasons.append("added filters again that another program had deleted") }
        if reasons.isEmpty, !lanes.isEmpty {
            let wereRules = lanes.allSatisfy { reading.records($0.alias.selection) }
            reasons.append(
                wereRules
                    ? "removed lanes whose filters another program had deleted"
                    : "removed lanes that an interrupted command left"
            )
        }
        if reasons.isEmpty, hasDanglingFilters { reasons.append("removed filters whose device is gone") }
    }

    private mutating func remove(_ selection: Selection, because reason: String) {
        restored.removeAll { $0.selection == selection }
        if !removed.contains(selection) { removed.append(selection) }
        reasons.append(reason)
    }

    private mutating func finish(
        _ change: JournalEntry.Change,
        _ entry: JournalEntry,
        _ state: DeviceState,
        isShared: Bool
    ) {
        let present = state.rules.map(\.selection)
        let traces = present + state.orphans.map(\.alias.selection)
        let meant = change.selection.map { [$0] } ?? present
        if change.isRemoval {
            removed = meant.filter(present.contains)
        } else {
            for selection in meant where traces.contains(selection) {
                if let rule = entry.rule(for: selection) {
                    restored.append(rule)
                } else if present.contains(selection) {
                    removed.append(selection)
                }
            }
        }
        // The lanes record these settings too, but a pump's devices end with the pump.
        let originals = entry.originals
        let isOwed =
            originals.madeHook && state.hook != .none || originals.previousMTU != nil
            || originals.previousSettings != nil
        restoresSettings = !isShared && state.rules.isEmpty && state.orphans.isEmpty && isOwed
        let isNeeded = !removed.isEmpty || !restored.isEmpty || !state.orphans.isEmpty || restoresSettings
        if isNeeded { reasons.append("process \(change.owner.processID) was interrupted during \(change.command)") }
    }
}

extension JournalReading {
    /// Whether a rule for this traffic is recorded, and no change of it was begun.
    fileprivate func records(_ selection: Selection) -> Bool {
        guard case .entry(let entry) = self, entry.change == nil else { return false }
        return entry.rule(for: selection) != nil
    }

    /// Whether a lane without a filter is left over even if its maker is alive; never for a lane that a supervisor
    /// holds.
    fileprivate func isLeft(_ lane: LaneAlias) -> Bool {
        guard case .entry(let entry) = self, !lane.isHeld else { return false }
        if let change = entry.change, change.isRemoval {
            if change.selection == nil || change.selection == lane.selection { return true }
        }
        // A run's lanes change only under the lock, which this process has: a killed `switch` or `on` has left these.
        return (entry.rules + entry.suspended).compactMap(\.ending?.guardian).contains {
            lane.maker == nil ? $0.processID == lane.processID : $0 == lane.maker
        }
    }
}

extension JournalEntry.Rule {
    /// The reason why the suspended rule must not be resumed; nil if it may be.
    func isOver(on machine: some Machine) -> String? {
        // A suspended rule has no pump and guardian; both start again when it is resumed.
        if engine == .userspace, ending?.isTied == false {
            return (ending?.deadline).flatMap { $0 < machine.now ? "its time limit has passed" : nil }
        }
        return ending?.isOver(now: machine.now, isAlive: machine.isAlive)
    }
}

extension JournalEntry.Ending {
    /// The reason why the rule must be removed; nil if it may stay.
    func isOver(now: Duration, isAlive: (ProcessIdentity) -> Bool) -> String? {
        if !isAlive(guardian) { return "guardian process \(guardian.processID) is gone" }
        if let deadline, now > deadline + Repair.grace {
            return "guardian process \(guardian.processID) missed the deadline"
        }
        return nil
    }
}
