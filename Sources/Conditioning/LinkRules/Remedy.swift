// SPDX-License-Identifier: Apache-2.0

/// The remedy for an error, which each program words itself; a string is advice to show unchanged.
public struct Remedy: Hashable, Sendable {
    /// The kinds of remedies.
    public enum Action: String, Sendable {
        /// Show the text in the object: the remedy needs another program.
        case advice
        /// Name an interface that exists, in place of the one in the object.
        case nameInterface
        /// Remove the applied conditions, from the interface in the object if there is one.
        case reset
        /// Try again, or remove the applied conditions if the journal stays unreadable.
        case repeatOrReset
        /// Remove the applied conditions again, when the journal's entry can be deleted.
        case repeatReset
        /// Switch the profile of the rule on the interface in the object; without an object, in the sandbox itself.
        case switchProfile
        /// Apply a profile first.
        case apply
        /// Name the rule: the first object is the interface of one of the candidates, the second its number.
        case nameRule
        /// Use the engine in the object.
        case useEngine
        /// Examine the features of this machine.
        case examine
        /// Examine the machine as root.
        case examineAsRoot
        /// Use a kernel with all modules that conditions need.
        case installModules
        /// Repeat the command as root, or in a network namespace of the caller's.
        case becomeRoot
        /// Make the sandbox as root, with this user's rights for the command.
        case makeSandboxAsRoot
        /// Condition the interface in the object as long as a command runs.
        case runCommand
        /// Exclude the login's connection, or limit the time.
        case keepLogin
        /// List the rules.
        case showStatus
        /// Precede other programs' filters, if those filters may miss the packets.
        case precedeForeign
        /// Keep the journal in another directory; the object, if there is one, is an alternative remedy.
        case moveJournal
        /// Do without an uplink; the object, if there is one, is an alternative remedy.
        case stayOffline
        /// Exclude the traffic to the address in the object.
        case excludeAddress
        /// Remove the applied conditions if this process is killed.
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

    /// Reads a text that ``line`` has made; nil if it has no known action.
    package init?(line: String) {
        let parts = line.split(separator: "\0", omittingEmptySubsequences: false).map(String.init)
        guard let action = parts.first.flatMap(Action.init(rawValue:)) else { return nil }
        (self.action, objects) = (action, Array(parts.dropFirst()))
    }
}
