// SPDX-License-Identifier: Apache-2.0

public import LinuxSystem

/// What a guardian knows of the rule that it is to end, and what it does next.
public struct GuardianState: Sendable {
    /// The rule's traffic.
    public let selection: Selection
    /// The guardian itself.
    public let guardian: ProcessIdentity
    /// The rule's ending, as it was last seen.
    private var ending: JournalEntry.Ending
    /// When the rule was made, and by whom: how the kernel's mark of it reads.
    private let origin: RuleRequest.Origin
    /// What carries the rule.
    private let engine: Engine

    /// What is to be done.
    public enum Step: Hashable, Sendable {
        /// Nothing any more: the rule is another's, or is to stay, or gone.
        case leave
        /// Waiting until this time of `BootClock`, if any, or until the journal changes.
        case wait(Duration?)
        /// Taking the rule away.
        case end
    }

    /// Begins a vigil over `rule`; nil for a rule that ends by no guardian.
    public init?(_ rule: JournalEntry.Rule) {
        guard let ending = rule.ending else { return nil }
        selection = rule.selection
        guardian = ending.guardian
        self.ending = ending
        origin = rule.request.origin
        engine = rule.engine
    }

    /// Whether the rule is the guardian's still.
    ///
    /// A journal that says nothing is no reason to let go: as long as the rule in the kernel is the one that was made
    /// at the beginning, or the pump's, whose marks a switch changes, the guardian goes by what it saw last.
    public mutating func isOwn(_ reading: JournalReading, _ state: DeviceState) -> Bool {
        if case .entry(let entry) = reading {
            let rule = (entry.rules + entry.suspended).first { $0.selection == selection }
            guard let found = rule?.ending, found.guardian == guardian else { return false }
            ending = found
            return true
        }
        guard let rule = state.rules.first(where: { $0.selection == selection }), let alias = rule.alias else {
            return false
        }
        return engine == .userspace
            ? rule.isPumped : alias.processID == origin.processID && alias.appliedAt == origin.time
    }

    /// Says what comes next.
    public mutating func next(_ reading: JournalReading, _ state: DeviceState, now: Duration) -> Step {
        guard isOwn(reading, state) else { return .leave }
        guard let deadline = ending.deadline else { return .wait(nil) }
        return deadline <= now ? .end : .wait(deadline)
    }
}
