// SPDX-License-Identifier: Apache-2.0

public import LinkProfiles
public import LinuxSystem

/// The rules of one interface, their owners and ends, and the change in progress.
///
/// Removal relies on the state in the kernel. An entry holds what the kernel cannot: the conditions to return to if a
/// change is interrupted, when rules end, and which guardian ends them.
public struct JournalEntry: Hashable, Sendable {
    /// The network that the interface is in.
    public var place: JournalPlace
    /// The interface's index.
    public var index: Int32
    /// The interface's name at the time.
    public var name: String
    /// The interface's link-layer address at the time.
    public var address: String
    /// Whether linkcond made the interface's clsact.
    public var madeHook: Bool
    /// The interface's MTU before linkcond lowered it; nil if it did not.
    public var previousMTU: UInt32?
    /// Loopback's settings before linkcond changed them; nil if it did not.
    public var previousSettings: LoopbackSettings?
    /// The rules in effect after the last completed change.
    public var rules: [Rule]
    /// The rules that `off` suspended, for `on` to resume.
    public var suspended: [Rule]
    /// The change in progress. Its process holds the interface's lock.
    public var change: Change?

    /// A rule that was applied.
    public struct Rule: Hashable, Sendable {
        /// The traffic that it conditions.
        public var selection: Selection
        /// The conditions.
        public var profile: Profile
        /// The seed of the random sequences.
        public var seed: UInt64?
        /// Whether it precedes other classifiers.
        public var beforeForeign: Bool
        /// The engine that carries it.
        public var engine: Engine
        /// The process that applied or changed it last.
        public var owner: ProcessIdentity
        /// The user of that process.
        public var userID: UInt32
        /// The time of that change, in seconds since 1970.
        public var since: Int
        /// How it ends; nil if only a reset ends it.
        public var ending: Ending?

        /// Makes the rule that a request asks for.
        public init(
            _ request: RuleRequest,
            _ engine: Engine = .netem,
            owner: ProcessIdentity,
            ending: Ending? = nil
        ) {
            selection = request.selection
            profile = request.profile
            seed = request.seed
            beforeForeign = request.beforeForeign
            self.engine = engine
            self.owner = owner
            userID = request.origin.userID
            since = request.origin.time
            self.ending = ending
        }

        init(
            selection: Selection,
            profile: Profile,
            seed: UInt64?,
            beforeForeign: Bool,
            engine: Engine,
            owner: ProcessIdentity,
            userID: UInt32,
            since: Int,
            ending: Ending?
        ) {
            self.selection = selection
            self.profile = profile
            self.seed = seed
            self.beforeForeign = beforeForeign
            self.engine = engine
            self.owner = owner
            self.userID = userID
            self.since = since
            self.ending = ending
        }

        /// The request that applies it again.
        public var request: RuleRequest {
            RuleRequest(
                profile: profile,
                selection: selection,
                seed: seed,
                beforeForeign: beforeForeign,
                origin: RuleRequest.Origin(time: since, userID: userID, processID: owner.processID, process: owner)
            )
        }
    }

    /// How a rule ends without a reset. Times are those of `BootClock`.
    public struct Ending: Hashable, Sendable {
        /// The process that ends the rule. Without it, the next command removes the rule.
        public var guardian: ProcessIdentity
        /// The time limit.
        public var until: Duration?
        /// The time at which it ends unless confirmed.
        public var confirmBy: Duration?
        /// Whether it ends with the command that runs under it.
        public var isTied: Bool

        /// Makes an ending.
        public init(guardian: ProcessIdentity, until: Duration? = nil, confirmBy: Duration? = nil, isTied: Bool = false)
        {
            self.guardian = guardian
            self.until = until
            self.confirmBy = confirmBy
            self.isTied = isTied
        }

        /// The earlier of the times; nil if there is none.
        public var deadline: Duration? { [until, confirmBy].compactMap { $0 }.min() }
    }

    /// A change that has begun.
    public struct Change: Hashable, Sendable {
        /// The process that makes it.
        public var owner: ProcessIdentity
        /// The name of the command.
        public var command: String
        /// The traffic of the rule to change; nil means all rules.
        public var selection: Selection?
        /// Whether the change removes the rules.
        public var isRemoval: Bool

        /// Makes a change.
        public init(owner: ProcessIdentity, command: String, selection: Selection?, isRemoval: Bool) {
            self.owner = owner
            self.command = command
            self.selection = selection
            self.isRemoval = isRemoval
        }
    }

    /// Makes an entry for an interface without rules.
    public init(place: JournalPlace, index: Int32, name: String, address: String) {
        self.place = place
        self.index = index
        self.name = name
        self.address = address
        madeHook = false
        previousMTU = nil
        previousSettings = nil
        rules = []
        suspended = []
        change = nil
    }

    /// Whether there is nothing to record.
    public var isEmpty: Bool { rules.isEmpty && suspended.isEmpty && change == nil }

    /// The rule for `selection`.
    public func rule(for selection: Selection) -> Rule? { rules.first { $0.selection == selection } }
}
