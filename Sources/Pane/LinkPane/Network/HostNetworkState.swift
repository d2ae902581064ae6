// SPDX-License-Identifier: Apache-2.0

internal import LinkConditioning
internal import LinkProfiles

/// This machine's network and its rules, as last read. A value, so that its text can be made without a kernel.
struct HostNetworkState {
    /// A network interface.
    struct Interface: Hashable {
        var name: String
        var isUp = true
        /// The addresses with their prefix lengths: "192.0.2.1/24".
        var addresses: [String] = []
        var isLoopback = false
        /// Whether the user's own login goes over it.
        var carriesLogin = false
    }

    /// A reason why the state, or a part of it, is not known.
    struct Problem: Hashable {
        var message: String
        /// A kind, as in other errors of the API.
        var kind: String
        /// What to type; nil if that is not known.
        var remedy: String?
        /// Whether the rules could be read nevertheless.
        var hasRules = false
    }

    /// The words on a rule that the report does not have.
    struct Origin: Hashable {
        /// Who applied the rule: "root, process 123 (python3)".
        var words: String?
        /// The process with which the rule ends; nil if it ends otherwise.
        var endsWith: Int32?
        /// Whether the process that ends the rule is gone.
        var hasLostGuardian = false
    }

    var interfaces: [Interface] = []
    /// The containers as JSON; nil if they have not been listed yet.
    var containers: JSON?
    var report = StatusReport(devices: [], abandoned: [])
    /// The origins of the rules, by interface and number.
    var origins: [RuleKey: Origin] = [:]
    /// The names of the report's profiles that the catalog has.
    var knownProfiles: Set<String> = []
    var problem: Problem?
    /// What was repaired since the page is served.
    var repairs: [String] = []
}

/// A rule of this network.
struct RuleKey: Hashable {
    var interface: String
    var number: Int
}
