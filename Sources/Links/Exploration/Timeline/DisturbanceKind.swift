// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// The kinds of disturbances, in the order in which they are tried. The raw value is the kind's name in tables and in
/// labels of steps.
package enum DisturbanceKind: String, CaseIterable, Hashable, Sendable {
    case delay
    case jitter
    case loss
    case rate = "low rate"
    case reordering
    case outage
    case slowDNS = "slow DNS"
    case failingDNS = "failing DNS"
    case silentDNS = "silent DNS"
    case reset
    case close = "closed connection"
    case halfClose = "half-closed connection"
    case stall = "stalled connection"
    case silence = "silent connection"
    case refusal = "refused connection"
    case unreachable = "unreachable server"
    case lostOpening = "lost SYN"
    case stalledHandshake = "stalled TLS handshake"
    case lostDatagrams = "lost datagrams"
    case refusedDatagrams = "refused datagrams"
    case largePackets = "lost large packets"
    case linkDown = "link down"
    case newAddress = "new address"
    case natRebind = "NAT rebind"
    case idleNAT = "forgetful NAT"
    case smallMTU = "small MTU"
    case lostIPv6 = "no IPv6"

    /// A group of kinds.
    package enum Group: String, CaseIterable, Sendable {
        /// Worse figures of the link.
        case figures
        /// Faults of some packets.
        case faults
        /// Changes of the network.
        case changes
    }

    /// The group of this kind.
    package var group: Group {
        switch self {
        case .delay, .jitter, .loss, .rate, .reordering, .outage, .slowDNS: .figures
        case .linkDown, .newAddress, .natRebind, .idleNAT, .smallMTU, .lostIPv6: .changes
        default: .faults
        }
    }

    /// Whether a disturbance of this kind can affect the observed behaviour of the client.
    package func concerns(_ client: ObservedClient) -> Bool {
        switch self {
        case .delay, .jitter, .loss, .rate, .reordering, .outage, .largePackets: true
        case .slowDNS, .failingDNS, .silentDNS: !client.names.isEmpty
        case .reset, .close, .halfClose, .stall, .silence, .refusal, .unreachable, .lostOpening:
            client.servers.contains { $0.transport == .tcp }
        case .stalledHandshake: client.servers.contains { $0.transport == .tcp && $0.hasTLS }
        case .lostDatagrams, .refusedDatagrams: client.servers.contains { $0.transport == .udp }
        case .linkDown, .newAddress, .natRebind, .idleNAT, .smallMTU: client.hasUplink
        case .lostIPv6: client.hasUplink && client.servers.contains { $0.usesIPv6 }
        }
    }
}
