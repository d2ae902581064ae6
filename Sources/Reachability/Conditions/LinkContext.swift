// SPDX-License-Identifier: Apache-2.0

/// What is known of this host's network beyond what the kernel tells everybody.
public struct LinkContext: Hashable, Sendable {
    /// The conditions that hold on an interface, by its name.
    public var conditions: [String: PathConditions] = [:]
    /// The program behind which the outside lies; nil where there is none.
    public var uplink: Uplink?

    /// Knows nothing beyond.
    public init() {}

    /// An interface whose connections a program of the host's ends and makes anew, such as pasta or slirp4netns.
    public struct Uplink: Hashable, Sendable {
        /// The interface.
        public var interface: String
        /// Whether a port that refuses can be told from one that is silent.
        public var tellsRefusalFromSilence: Bool

        /// Describes one.
        public init(interface: String, tellsRefusalFromSilence: Bool) {
            self.interface = interface
            self.tellsRefusalFromSilence = tellsRefusalFromSilence
        }
    }

    /// What an observation over `path` can mean: what the uplink's program hides is not guessed.
    func interpret(_ finding: Evidence.Finding, of probe: Probe, over path: Path?) -> Evidence.Finding {
        guard let uplink, path?.interface == uplink.interface, probe.needsConnection else { return finding }
        if case .failed(.blackHole) = finding, !uplink.tellsRefusalFromSilence { return .failed(.hiddenByUplink) }
        return finding
    }

    /// "uplink" where a program ends what is sent over `path`.
    func via(_ path: Path?) -> String? {
        guard let uplink, path?.interface == uplink.interface else { return nil }
        return "uplink"
    }
}

extension Reason {
    /// No answer came, but the program that carries the uplink would hide a refusal.
    public static let hiddenByUplink = Reason(.path, "unknown")
}
