// SPDX-License-Identifier: Apache-2.0

/// The support of a network for IPv6.
public enum IPv6Support: String, CaseIterable, Hashable, Sendable {
    /// IPv6 works as without this key.
    case works
    /// The host has an address and a route, and every packet is lost.
    case dead
    /// The host has neither address nor route.
    case absent
    /// The host has no IPv4: a NAT64 and a DNS64 lead to servers that have nothing else.
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
