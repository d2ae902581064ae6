// SPDX-License-Identifier: Apache-2.0

/// How a network carries IPv6.
public enum IPv6Support: String, CaseIterable, Hashable, Sendable {
    /// As it does without this key.
    case works
    /// The host has an address and a route, and every packet is lost.
    case dead
    /// The host has neither address nor route.
    case absent

    /// The support in words; nil where it works.
    public var words: String? {
        switch self {
        case .works: nil
        case .dead: "IPv6 dead"
        case .absent: "no IPv6"
        }
    }
}
