// SPDX-License-Identifier: Apache-2.0

/// The remedy for an error, which a program phrases itself; a string is advice that needs no phrasing.
public struct Remedy: Hashable, Sendable {
    /// The kinds of remedies.
    public enum Action: String, Sendable {
        /// The text of the object: it takes other programs than the one that applies conditions.
        case advice
        /// Remove what was applied, from the interface that is the object if there is one.
        case reset
        /// Try again, or remove what was applied if the journal cannot be read for good.
        case repeatOrReset
        /// Remove what was applied again, once the journal's entry can be deleted.
        case repeatReset
        /// Switch the profile of the rule on the interface that is the object; without one, in the sandbox itself.
        case switchProfile
        /// Apply a profile first.
        case apply
        /// Name the rule: one of them is on the interface that is the first object, with the number that is the second.
        case nameRule
        /// Use the engine that is the object.
        case useEngine
        /// Examine what this machine can do.
        case examine
        /// To examine the machine as root.
        case examineAsRoot
        /// Use a kernel with all modules that conditions need.
        case installModules
        /// Do it as root, or in a network namespace of the caller's.
        case becomeRoot
        /// Make the sandbox as root, with this user's rights for the command.
        case makeSandboxAsRoot
        /// Condition the interface that is the object as long as a command runs.
        case runCommand
        /// Exclude the login's connection, or limit the time.
        case keepLogin
        /// List the rules.
        case showStatus
        /// Come before other programs' filters, if those may miss the packets.
        case precedeForeign
        /// Keep the journal in another directory; the object, if there is one, is what helps as well.
        case moveJournal
        /// Do without an uplink; the object, if there is one, is what helps as well.
        case stayOffline
        /// Leave out the traffic to the address that is the object.
        case excludeAddress
        /// Remove what was applied, should this process be killed.
        case resetIfKilled
        /// Condition the bridge itself instead of its port.
        case conditionBridge
    }

    /// The action to take.
    public let action: Action
    /// The objects of the action.
    public let objects: [String]

    /// Makes a remedy.
    public init(_ action: Action, _ objects: String...) {
        (self.action, self.objects) = (action, objects)
    }
}

extension Remedy: ExpressibleByStringInterpolation {
    /// Makes advice.
    public init(stringLiteral advice: String) {
        self.init(.advice, advice)
    }
}

extension Remedy {
    /// The action and the objects, as a text for another process.
    package var line: String { ([action.rawValue] + objects).joined(separator: "\0") }

    /// Reads such a text; nil if it is none.
    package init?(line: String) {
        let parts = line.split(separator: "\0", omittingEmptySubsequences: false).map(String.init)
        guard let action = parts.first.flatMap(Action.init(rawValue:)) else { return nil }
        (self.action, objects) = (action, Array(parts.dropFirst()))
    }
}
