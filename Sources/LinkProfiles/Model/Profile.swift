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

    /// Returns `name` without what does not tell names apart: case, spaces, dashes and other punctuation.
    public static func normalized(_ name: String) -> String {
        // "+" and "%" tell names apart ("LTE+", "100% Loss").
        guard name.utf8.allSatisfy({ $0 < 0x80 }) else {
            return String(
                name.lowercased().filter { $0.isLetter || $0.isNumber || $0 == "." || $0 == "+" || $0 == "%" }
            )
        }
        // The same for ASCII, without Unicode's tables: `list` and `show` call it once for each profile.
        let letters = name.utf8.compactMap { byte -> UInt8? in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): byte
            case UInt8(ascii: "."), UInt8(ascii: "+"), UInt8(ascii: "%"): byte
            default: nil
            }
        }
        return String(decoding: letters, as: UTF8.self)
    }
}
