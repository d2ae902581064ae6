// SPDX-License-Identifier: Apache-2.0

/// The part of a profile that describes the network beyond the link; it applies only to a sandbox's uplink.
extension Profile {
    /// The valid values of `mtu`: IPv6 needs at least 1280 bytes, and the sandbox's interface carries at most 1500.
    public static let mtuRange = 1280...1500

    /// The keys of the profile that describe the network and change something.
    package var networkKeys: [String] {
        let isChanged = [
            ("mtu", mtu != nil), ("ipv6", (ipv6 ?? .works) != .works), ("nat", translation != nil),
        ]
        return isChanged.filter(\.1).map(\.0)
    }

    /// The network in words; empty if the profile does not change it.
    public var networkWords: [String] {
        [mtu.map { "MTU \($0)" }, ipv6?.words, translation?.words].compactMap { $0 }
    }

    /// Whether the network may drop or translate packets, so that an engine must see every packet.
    package var needsEveryPacket: Bool { (ipv6 ?? .works) != .works || translation != nil }
}
