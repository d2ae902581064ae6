// SPDX-License-Identifier: Apache-2.0

/// The support of a network for IPv6.
public enum IPv6Support: String, CaseIterable, Hashable, Sendable {
    /// IPv6 works: the same as without this key.
    case works
    /// The host has an IPv6 address and route, but every IPv6 packet is lost.
    case dead
    /// The host has neither an IPv6 address nor an IPv6 route.
    case absent
    /// The host has no IPv4: it reaches IPv4-only servers through NAT64 and DNS64.
    case only

    /// The support in words; nil if it works.
    public var words: String? {
        switch self {
        case .works: nil
        case .dead: "IPv6 dead"
        case .absent: "no IPv6"
        case .only: "IPv6 only"
        }
    }
}
