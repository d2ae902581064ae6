// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem
internal import TrafficControl

/// The repairs that an interface needs before any other change.
///
/// The caller holds the interface's lock. So a change that the journal records as begun was interrupted, and a lane
/// without filter is left over, unless its maker is still alive and may use another journal. The lanes of a run that
/// this journal names, and those of an interrupted removal, go though their maker lives on.
struct Repair: Hashable {
    var removed: [Selection] = []
    var restored: [JournalEntry.Rule] = []
    /// The lanes to delete, to which no filter leads.
    var lanes: [LaneState] = []
    /// Whether a pump has stopped, so that there is no use in waiting for its packets.
    var hasStoppedPump = false
    /// Whether to delete filters whose device is gone.
    var hasDanglingFilters = false
    /// Whether to add filters again that another program has deleted, so that a pump's packets return.
    var hasBrokenReturns = false
    /// Whether to restore the interface's settings, which only the journal records.
    var restoresSettings = false
    /// Whether to keep the interface's settings: its lanes belong to an earlier interface with the same index.
    var leavesSettings = false
    /// The reasons, for the user.
    var reasons: [String] = []

    /// The time after a deadline until other processes act for the guardian.
    static let grace = Duration.seconds(2)

    var isEmpty: Bool {
        removed.isEmpty && restored.isEmpty && lanes.isEmpty && !hasDanglingFilters && !hasBrokenReturns
            && !restoresSettings
    }

    /// Compares the journal with the state of the interface.
    ///
    /// - Parameter isStopped: whether the pump that serves a TAP device leaves all questions unanswered. Its guardian ends
    ///   it, unless it was stopped too.
    init(
        _ reading: JournalReading,
        _ state: DeviceState,
        now: Duration,
        isAlive: (ProcessIdentity) -> Bool,
        makerIsAlive: (LaneAlias) -> Bool,
        isStopped: (String) -> Bool = { _ in false }
    ) {
        // Rules that a running supervisor holds are its own to repair.
        let held = state.rules.filter { rule in rule.isHeld { $0.isHeld && makerIsAlive($0) } }
        var state = state
        state.rules.removeAll(where: held.contains)
        let present = state.rules.map(\.selection)
        if case .entry(let entry) = reading {
            if let change = entry.change { finish(change, entry, state, isShared: !held.isEmpty) }
            // A rule that was cut off may have no filter left, and have ended all the same.
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
        // Restoring a rule deletes all of these.
        if restored.isEmpty {
            lanes = state.orphans.filter { !makerIsAlive($0.alias) || reading.isLeft($0.alias) }
        }
        hasDanglingFilters = held.isEmpty && state.hasDangling
        hasBrokenReturns =
            held.isEmpty && removed.isEmpty && restored.isEmpty
            && !(state.lanesWithoutReturn + state.lanesWithoutPass).isEmpty
        if hasBrokenReturns { reasons.append("added filters again that another program had deleted") }
        if reasons.isEmpty, !lanes.isEmpty { reasons.append("removed lanes that an interrupted command left") }
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
        let memory = entry.memory
        let isOwed =
            memory.madeHook && state.hook != .none || memory.previousMTU != nil || memory.previousSettings != nil
        restoresSettings = !isShared && state.rules.isEmpty && state.orphans.isEmpty && isOwed
        let isNeeded = !removed.isEmpty || !restored.isEmpty || !state.orphans.isEmpty || restoresSettings
        if isNeeded { reasons.append("process \(change.owner.processID) was interrupted during \(change.command)") }
    }
}

extension JournalReading {
    /// Whether a lane without filter is left over though its maker lives. What a supervisor holds never is.
    fileprivate func isLeft(_ lane: LaneAlias) -> Bool {
        guard case .entry(let entry) = self, !lane.isHeld else { return false }
        if let change = entry.change, change.isRemoval {
            if change.selection == nil || change.selection == lane.selection { return true }
        }
        // A run's lanes change only while somebody has the lock: a switch, or `on`, that was killed has left these.
        return (entry.rules + entry.suspended).compactMap(\.ending?.guardian).contains {
            lane.maker == nil ? $0.processID == lane.processID : $0 == lane.maker
        }
    }
}

extension JournalEntry.Rule {
    /// The reason why the suspended rule is not to be resumed; nil if it is.
    func isOver(on machine: some Machine) -> String? {
        // A suspended rule has no pump and guardian; both start again when it is resumed.
        if engine == .userspace, ending?.isTied == false {
            return (ending?.deadline).flatMap { $0 < machine.now ? "its time limit has passed" : nil }
        }
        return ending?.isOver(now: machine.now, isAlive: machine.isAlive)
    }
}

extension JournalEntry.Ending {
    /// The reason why the rule must be removed; nil if it must not.
    func isOver(now: Duration, isAlive: (ProcessIdentity) -> Bool) -> String? {
        if !isAlive(guardian) { return "guardian process \(guardian.processID) is gone" }
        if let deadline, now > deadline + Repair.grace {
            return "guardian process \(guardian.processID) missed the deadline"
        }
        return nil
    }
}
