// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem

/// What has to be mended on an interface before anything else is done to it.
///
/// Decided by whoever holds the interface's lock: a change that the journal calls begun was cut off, and a lane without
/// filter is nobody's work in progress, unless its maker, who may work without this journal, is there still.
struct Repair: Hashable {
    /// The rules to be taken away.
    var removed: [Selection] = []
    /// The rules to be put back as they were.
    var restored: [JournalEntry.Rule] = []
    /// The lanes to which no filter leads, to be taken away.
    var lanes: [LaneState] = []
    /// Whether filters are to be taken away whose device is gone.
    var hasDanglingFilters = false
    /// Whether only the journal still knows what the interface is to get back.
    var givesBack = false
    /// Whether the interface's own settings are none of ours: its lanes are of one that had the index before.
    var leavesSettings = false
    /// Why, in words for the user.
    var reasons: [String] = []

    /// A guardian has this long after a deadline before somebody else sees to it.
    static let grace = Duration.seconds(2)

    /// Whether all is well.
    var isEmpty: Bool { removed.isEmpty && restored.isEmpty && lanes.isEmpty && !hasDanglingFilters && !givesBack }

    /// Decides by what the journal says and what is there.
    init(
        _ reading: JournalReading,
        _ state: DeviceState,
        now: Duration,
        isAlive: (ProcessIdentity) -> Bool,
        makerIsAlive: (LaneAlias) -> Bool
    ) {
        let present = state.rules.map(\.selection)
        if case .entry(let entry) = reading {
            if let change = entry.change { finish(change, entry, state) }
            for rule in entry.rules where present.contains(rule.selection) {
                guard let reason = rule.ending?.isOver(now: now, isAlive: isAlive) else { continue }
                restored.removeAll { $0.selection == rule.selection }
                if !removed.contains(rule.selection) { removed.append(rule.selection) }
                reasons.append(reason)
            }
        }
        if case .otherInterface = reading { leavesSettings = true }
        // To put a rule back takes all of these away.
        if restored.isEmpty { lanes = state.orphans.filter { !makerIsAlive($0.alias) } }
        hasDanglingFilters = state.hasDangling
        if reasons.isEmpty, !lanes.isEmpty { reasons.append("lanes without traffic were left behind") }
        if reasons.isEmpty, hasDanglingFilters { reasons.append("filters led to a device that was gone") }
    }

    private mutating func finish(_ change: JournalEntry.Change, _ entry: JournalEntry, _ state: DeviceState) {
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
        // A pump's devices, which say it as well, go with the pump.
        let isOwed = entry.madeHook && state.hook != .none || entry.previousMTU != nil || entry.previousSettings != nil
        givesBack = state.rules.isEmpty && state.orphans.isEmpty && isOwed
        let isNeeded = !removed.isEmpty || !restored.isEmpty || !state.orphans.isEmpty || givesBack
        if isNeeded { reasons.append("process \(change.owner.processID) was stopped during \"\(change.command)\"") }
    }
}

extension JournalEntry.Rule {
    /// Why the rule, which is off, is not to be put on again, by now; nil where it is.
    public var isOver: String? {
        // A pump and its guardian end when the rule is taken off, and begin anew with it.
        if engine == .userspace, ending?.isTied == false {
            return (ending?.deadline).flatMap { $0 < BootClock.now ? "its time is over" : nil }
        }
        return ending?.isOver(now: BootClock.now, isAlive: \.isAlive)
    }
}

extension JournalEntry.Ending {
    /// Why the rule has to go; nil while it has not.
    func isOver(now: Duration, isAlive: (ProcessIdentity) -> Bool) -> String? {
        if !isAlive(guardian) { return "process \(guardian.processID), which was to end the conditions, is gone" }
        if let deadline, now > deadline + Repair.grace {
            return "process \(guardian.processID) has not ended the conditions in time"
        }
        return nil
    }
}
