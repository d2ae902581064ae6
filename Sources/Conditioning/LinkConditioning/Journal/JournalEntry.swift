// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import LinuxSystem
internal import TrafficControl

/// The rules of one interface, their owners and endings, and the change in progress.
///
/// Removal relies on the state in the kernel. An entry holds what the kernel cannot store: the conditions to restore if
/// a change is interrupted, when rules end, and which guardian ends them.
struct JournalEntry: Hashable, Sendable {
    /// The network that the interface is in.
    var network: JournalNetwork
    var index: Int32
    /// The interface's name when the entry was last written.
    var name: String
    /// The interface's link-layer address when the entry was last written.
    var address: String
    /// The original values of the interface's settings that linkcond changed.
    var originals = Planner.OriginalSettings()
    /// The rules in effect after the last completed change.
    var rules: [Rule] = []
    /// The rules that `off` suspended, for `on` to resume.
    var suspended: [Rule] = []
    /// The change in progress. The process that makes it holds the interface's lock.
    var change: Change?

    struct Rule: Hashable, Sendable {
        var selection: Selection
        var profile: Profile
        /// The host whose link the profile describes.
        var facing = Facing.host
        var seed: UInt64?
        /// Whether the rule's filters precede other programs' classifiers.
        var beforeForeign: Bool
        var engine: Engine
        /// The process that applied the rule or changed it last.
        var owner: ProcessIdentity
        /// The user of that process.
        var userID: UInt32
        /// The time when the rule was applied or last changed, in seconds since 1970.
        var since: Int
        /// The rule's ending; nil if only a reset ends it.
        var ending: Ending?

        /// The request that applies the rule again.
        var request: RuleRequest {
            var request = RuleRequest(
                profile: profile,
                selection: selection,
                seed: seed,
                beforeForeign: beforeForeign,
                origin: RuleRequest.Origin(time: since, userID: userID, processID: owner.processID, process: owner)
            )
            request.facing = facing
            return request
        }
    }

    /// The ending of a rule that ends without a reset. Times are by `BootClock`.
    struct Ending: Hashable, Sendable {
        /// The process that ends the rule. Without it, the next command removes the rule.
        var guardian: ProcessIdentity
        /// The time limit.
        var until: Duration?
        /// The time at which the rule ends unless confirmed.
        var confirmBy: Duration?
        /// Whether the rule ends with the command that runs under it.
        var isTied = false

        /// The earlier of `until` and `confirmBy`; nil if both are nil.
        var deadline: Duration? { [until, confirmBy].compactMap { $0 }.min() }
    }

    /// A change that has begun.
    struct Change: Hashable, Sendable {
        /// The process that makes the change.
        var owner: ProcessIdentity
        var command: String
        /// The traffic of the rule to change; nil means all rules.
        var selection: Selection?
        var isRemoval: Bool
    }

    var isEmpty: Bool { rules.isEmpty && suspended.isEmpty && change == nil }

    func rule(for selection: Selection) -> Rule? { rules.first { $0.selection == selection } }
}

extension JournalEntry.Rule {
    /// Makes the rule that a request asks for.
    init(
        _ request: RuleRequest,
        _ engine: Engine = .netem,
        owner: ProcessIdentity,
        ending: JournalEntry.Ending? = nil
    ) {
        self.init(
            selection: request.selection,
            profile: request.profile,
            facing: request.facing,
            seed: request.seed,
            beforeForeign: request.beforeForeign,
            engine: engine,
            owner: owner,
            userID: request.origin.userID,
            since: request.origin.time,
            ending: ending
        )
    }
}
