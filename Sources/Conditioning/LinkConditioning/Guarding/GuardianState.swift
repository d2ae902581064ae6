// SPDX-License-Identifier: Apache-2.0

internal import LinuxSystem
internal import TrafficControl

/// A guardian's knowledge of its rule, and its next step.
struct GuardianState: Sendable {
    let selection: Selection
    let guardian: ProcessIdentity
    /// The rule's ending, as last read.
    private var ending: JournalEntry.Ending
    /// The time at which the rule was applied and the process that applied it, as in its lanes' aliases.
    private let origin: RuleRequest.Origin
    private let engine: Engine

    enum Step: Hashable, Sendable {
        /// Leave the rule: it belongs to another process, is to stay, or is gone.
        case leave
        /// Wait until this time of `BootClock` (nil: without limit), or until the journal changes.
        case wait(Duration?)
        /// Remove the rule.
        case end
    }

    /// Makes the state for `rule`; nil for a rule without a guardian.
    init?(_ rule: JournalEntry.Rule) {
        guard let ending = rule.ending else { return nil }
        selection = rule.selection
        guardian = ending.guardian
        self.ending = ending
        origin = rule.request.origin
        engine = rule.engine
    }

    /// Whether the rule still belongs to the guardian. Updates `ending` from the journal entry.
    ///
    /// Without a journal entry, the guardian uses the ending that it last read, as long as the rule in the kernel is
    /// the original one or is carried by the pump; in the latter case the aliases may differ, since a switch changes
    /// them.
    ///
    /// - Parameter state: the interface's state; read only without an entry, to save time: every guardian of an
    ///   interface checks after each command.
    mutating func updateOwnership(
        _ reading: JournalReading,
        _ state: @autoclosure () throws(ConditioningError) -> DeviceState
    ) throws(ConditioningError) -> Bool {
        if case .entry(let entry) = reading {
            let rule = (entry.rules + entry.suspended).first { $0.selection == selection }
            guard let found = rule?.ending, found.guardian == guardian else { return false }
            ending = found
            return true
        }
        guard let rule = try state().rules.first(where: { $0.selection == selection }), let alias = rule.alias else {
            return false
        }
        return engine == .userspace
            ? rule.isPumped : alias.processID == origin.processID && alias.appliedAt == origin.time
    }

    mutating func next(
        _ reading: JournalReading,
        _ state: @autoclosure () throws(ConditioningError) -> DeviceState,
        now: Duration
    ) throws(ConditioningError) -> Step {
        guard try updateOwnership(reading, try state()) else { return .leave }
        guard let deadline = ending.deadline else { return .wait(nil) }
        return deadline <= now ? .end : .wait(deadline)
    }
}
