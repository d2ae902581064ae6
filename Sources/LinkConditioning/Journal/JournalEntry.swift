// SPDX-License-Identifier: Apache-2.0

public import LinkProfiles
public import LinuxSystem

/// What is on one interface, by whom, until when, and what of it is being changed.
///
/// The kernel's own marks are what any undoing goes by. An entry says what they cannot: what the conditions shall be
/// when a change is cut off, when they end, and who sees to that.
public struct JournalEntry: Hashable, Sendable {
    /// The network that the interface is in.
    public var place: JournalPlace
    /// The interface's index.
    public var index: Int32
    /// The interface's name at the time.
    public var name: String
    /// The interface's link-layer address at the time.
    public var address: String
    /// Whether we made the interface's clsact.
    public var madeHook: Bool
    /// The MTU that the interface had before we lowered it; nil where we did not.
    public var previousMTU: UInt32?
    /// The settings that loopback had before we changed them; nil where we did not.
    public var previousSettings: LoopbackSettings?
    /// The rules that hold, as of the last change that was brought to its end.
    public var rules: [Rule]
    /// The rules that `off` took away, for `on` to put back.
    public var suspended: [Rule]
    /// The change that is under way. Whoever makes it holds the interface's lock.
    public var change: Change?

    /// A rule that somebody put on.
    public struct Rule: Hashable, Sendable {
        /// Which traffic it is about.
        public var selection: Selection
        /// The conditions.
        public var profile: Profile
        /// Start of the random sequences.
        public var seed: UInt64?
        /// Whether it goes ahead of other classifiers.
        public var beforeForeign: Bool
        /// What carries it.
        public var engine: Engine
        /// Who put it on or changed it last.
        public var owner: ProcessIdentity
        /// The user who did.
        public var userID: UInt32
        /// When, in seconds since 1970.
        public var since: Int
        /// How it ends; nil where only a reset ends it.
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

        /// The request that makes it again.
        public var request: RuleRequest {
            RuleRequest(
                profile: profile,
                selection: selection,
                seed: seed,
                beforeForeign: beforeForeign,
                origin: RuleRequest.Origin(time: since, userID: userID, processID: owner.processID)
            )
        }
    }

    /// How a rule ends without a reset. Times are those of `BootClock`.
    public struct Ending: Hashable, Sendable {
        /// The process that sees to it: the rule is nobody's when that is gone.
        public var guardian: ProcessIdentity
        /// When it ends in any case.
        public var until: Duration?
        /// When it ends unless somebody confirms it.
        public var confirmBy: Duration?
        /// Whether it ends with a command that runs under it.
        public var isTied: Bool

        /// Makes an ending.
        public init(guardian: ProcessIdentity, until: Duration? = nil, confirmBy: Duration? = nil, isTied: Bool = false)
        {
            self.guardian = guardian
            self.until = until
            self.confirmBy = confirmBy
            self.isTied = isTied
        }

        /// The earlier of the times; nil where there is none.
        public var deadline: Duration? { [until, confirmBy].compactMap { $0 }.min() }
    }

    /// A change that has begun.
    public struct Change: Hashable, Sendable {
        /// Who makes it.
        public var owner: ProcessIdentity
        /// The command, in a word.
        public var command: String
        /// The rule it is about; nil means all of them.
        public var selection: Selection?
        /// Whether the rules it is about are being taken away.
        public var isRemoval: Bool

        /// Makes a change.
        public init(owner: ProcessIdentity, command: String, selection: Selection?, isRemoval: Bool) {
            self.owner = owner
            self.command = command
            self.selection = selection
            self.isRemoval = isRemoval
        }
    }

    /// Makes an entry for an interface on which there is nothing.
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

    /// Whether there is nothing to remember.
    public var isEmpty: Bool { rules.isEmpty && suspended.isEmpty && change == nil }

    /// The rule for `selection`.
    public func rule(for selection: Selection) -> Rule? { rules.first { $0.selection == selection } }
}
