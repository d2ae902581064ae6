// SPDX-License-Identifier: Apache-2.0

/// How a network carries IPv6.
public enum IPv6Support: String, CaseIterable, Hashable, Sendable {
    /// As it does without this key.
    case works
    /// The host has an address and a route, and every packet is lost.
    case dead
    /// The host has neither address nor route.
    case absent
    /// The host has no IPv4: a NAT64 and a DNS64 lead to servers that have nothing else.
    case only

    /// The support in words; nil where it works.
    public var words: String? {
        switch self {
        case .works: nil
        case .dead: "IPv6 dead"
        case .absent: "no IPv6"
        case .only: "IPv6 only"
        }
    }
}
