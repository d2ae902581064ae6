// SPDX-License-Identifier: Apache-2.0

/// The network beyond the link, as a profile describes it, which only the uplink of a sandbox has.
extension Profile {
    /// The values of `mtu`: links with less carry no IPv6, and packets with more do not fit into the sandbox's.
    public static let mtuRange = 1280...1500

    /// The keys that describe a network, of those that change something.
    package var networkKeys: [String] {
        let isChanged = [
            ("mtu", mtu != nil), ("ipv6", (ipv6 ?? .works) != .works), ("nat", translation != nil),
        ]
        return isChanged.filter(\.1).map(\.0)
    }

    /// The network in words; empty if the profile says nothing of it.
    public var networkWords: [String] {
        [mtu.map { "MTU \($0)" }, ipv6?.words, translation?.words].compactMap { $0 }
    }

    /// Whether the network decides about packets, so that an engine must see every one.
    package var needsEveryPacket: Bool { (ipv6 ?? .works) != .works || translation != nil }
}
