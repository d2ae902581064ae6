// SPDX-License-Identifier: Apache-2.0

/// One part of a rule's traffic that is conditioned as a whole.
///
/// The raw values select the lanes' random sequences: never renumber them.
public enum Lane: Int, CaseIterable, Hashable, Sendable {
    /// Packets away from the host; on loopback, packets from a flow's opener.
    case uplink = 0
    /// Packets towards the host; on loopback, packets to a flow's opener.
    case downlink = 1
    /// Packets away from the host to port 53 (UDP and TCP), where the profile has a delay for them.
    case dns = 2

    /// The lane's name in profiles and reports: "uplink", "downlink", "dns".
    public var name: String {
        switch self {
        case .uplink: "uplink"
        case .downlink: "downlink"
        case .dns: "dns"
        }
    }

    /// Returns the lane called `name`; nil if there is none.
    public init?(name: String) {
        guard let lane = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = lane
    }

    /// The direction in which the lane's packets travel.
    public var direction: Direction { self == .downlink ? .downlink : .uplink }
}

extension Lane: CustomStringConvertible {
    /// The lane's name.
    public var description: String { name }
}

/// A direction of a link, as the conditioned host sees it.
public enum Direction: String, CaseIterable, Hashable, Sendable {
    /// Towards the host.
    case downlink
    /// Away from the host.
    case uplink
}
