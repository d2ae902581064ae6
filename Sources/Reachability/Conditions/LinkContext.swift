// SPDX-License-Identifier: Apache-2.0

/// Facts about this host's links that the kernel does not report.
public struct LinkContext: Hashable, Sendable {
    /// The conditions that hold on an interface, by its name.
    public var conditions: [String: PathConditions] = [:]
    /// The program that carries the uplink, as in a sandbox; nil if there is none.
    public var uplink: Uplink?

    /// No such facts.
    public init() {}

    /// An interface whose connections a program terminates and opens again, such as pasta or slirp4netns.
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

    /// What an observation over `path` means, given that the uplink's program may hide refusals.
    func interpret(_ finding: Observation.Finding, of probe: Probe, over path: Path?) -> Observation.Finding {
        guard let uplink, path?.interface == uplink.interface, probe.needsConnection else { return finding }
        if case .failed(.blackHole) = finding, !uplink.tellsRefusalFromSilence { return .failed(.hiddenByUplink) }
        return finding
    }

    /// "uplink" if a program terminates connections over `path`.
    func via(_ path: Path?) -> String? {
        guard let uplink, path?.interface == uplink.interface else { return nil }
        return "uplink"
    }
}

extension Reason {
    /// No answer came, but the program that carries the uplink would hide a refusal.
    public static let hiddenByUplink = Reason(.path, "unknown")
}
