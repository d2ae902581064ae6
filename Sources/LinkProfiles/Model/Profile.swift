// SPDX-License-Identifier: Apache-2.0

/// A named description of a link, as the conditioned host sees it.
///
/// An absent direction, or an absent figure in one, leaves that part of the link untouched.
public struct Profile: Hashable, Sendable {
    /// What people call it; unique within a catalog.
    public var name: String
    /// One line on what link this is.
    public var summary: String?
    /// Where the figures come from, or "judgement".
    public var source: String?
    /// What happens to traffic towards the host.
    public var downlink: Impairments?
    /// What happens to traffic away from the host.
    public var uplink: Impairments?
    /// What happens, beyond the uplink's impairments, to queries leaving for port 53.
    public var dns: DNSImpairment?
    /// Start of the random sequences; absent means a different run every time.
    public var seed: UInt64?
    /// How the figures change with time.
    public var schedule: Schedule?

    /// Makes a profile that conditions nothing yet.
    public init(name: String) {
        self.name = name
    }

    /// Whether uplink and downlink are described alike.
    public var isSymmetric: Bool { uplink == downlink }

    /// The name without what spelling does not decide: case, spaces, dashes and other punctuation.
    public static func normalized(_ name: String) -> String {
        // "+" and "%" tell names apart ("LTE+", "100% Loss"); other punctuation does not.
        String(name.lowercased().filter { $0.isLetter || $0.isNumber || $0 == "." || $0 == "+" || $0 == "%" })
    }
}
