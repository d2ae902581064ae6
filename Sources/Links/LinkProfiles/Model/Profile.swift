// SPDX-License-Identifier: Apache-2.0

/// A named description of a link, as the conditioned host sees it.
///
/// An absent direction or figure leaves that part of the link unchanged.
public struct Profile: Hashable, Sendable {
    /// The name, unique within a catalog.
    public var name: String
    /// A description of the link in one line.
    public var summary: String?
    /// The source of the figures, or "judgement".
    public var source: String?
    /// The impairments of traffic towards the host.
    public var downlink: Impairments?
    /// The impairments of traffic away from the host.
    public var uplink: Impairments?
    /// The impairments of packets to port 53, in addition to the uplink's.
    public var dns: DNSImpairment?
    /// The MTU of the uplink's interface in bytes; nil for the default of 1500.
    public var mtu: Int?
    /// The support of the uplink's network for IPv6; nil means that it works.
    public var ipv6: IPv6Support?
    /// The network address translator at the far end of the uplink; nil means none.
    public var translation: AddressTranslation?
    /// The faults; the first one that matches a packet is applied to it.
    public var faults: [Fault] = []
    /// The seed of the random sequences; nil means a new one for each run.
    public var seed: UInt64?
    /// The changes of the figures with time.
    public var schedule: Schedule?

    /// Makes a profile without impairments.
    public init(name: String) {
        self.name = name
    }

    /// Whether uplink and downlink have the same impairments.
    public var isSymmetric: Bool { uplink == downlink }

    /// Returns `name` in the form that lookups compare: lower case, without spaces, dashes and other punctuation.
    public static func normalized(_ name: String) -> String {
        // "+" and "%" distinguish names ("LTE+", "100% Loss").
        guard name.utf8.allSatisfy({ $0 < 0x80 }) else {
            return name.lowercased().filter { $0.isLetter || $0.isNumber || $0 == "." || $0 == "+" || $0 == "%" }
        }
        // ASCII is folded without Unicode tables, since a lookup normalizes the name of every profile.
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
