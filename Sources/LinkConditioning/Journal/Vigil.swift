// SPDX-License-Identifier: Apache-2.0

/// What a guardian knows of the rule that it is to end, and what it does next.
public struct Vigil: Sendable {
    /// The rule's traffic.
    public let selection: Selection
    /// The guardian itself.
    public let guardian: ProcessIdentity
    /// The rule's ending, as it was last seen.
    private var ending: JournalEntry.Ending
    /// When the rule was made, and by whom: how the kernel's mark of it reads.
    private let origin: RuleRequest.Origin

    /// What is to be done.
    public enum Step: Hashable, Sendable {
        /// Nothing any more: the rule is another's, or is to stay, or gone.
        case leave
        /// Waiting until this time of `BootClock`, or until the journal changes.
        case wait(Duration)
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
    }

    /// Says what comes next.
    ///
    /// A journal that says nothing is no reason to leave: as long as the rule in the kernel is the one that was made
    /// at the beginning, the guardian goes by what it saw last.
    public mutating func next(_ reading: JournalReading, _ state: DeviceState, now: Duration) -> Step {
        if case .entry(let entry) = reading {
            let rule = (entry.rules + entry.suspended).first { $0.selection == selection }
            guard let found = rule?.ending, found.guardian == guardian else { return .leave }
            ending = found
        } else {
            let tag = state.rules.first { $0.selection == selection }?.tag
            guard tag?.processID == origin.processID, tag?.appliedAt == origin.time else { return .leave }
        }
        guard let deadline = ending.deadline else { return .leave }
        return deadline <= now ? .end : .wait(deadline)
    }
}
