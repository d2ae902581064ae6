// SPDX-License-Identifier: Apache-2.0

extension CapturedInterface {
    /// The link-layer header type of an interface's packets: a LINKTYPE of the pcap project's list.
    package struct LinkType: RawRepresentable, Hashable, Sendable {
        package let rawValue: UInt16

        package init(rawValue: UInt16) { self.rawValue = rawValue }

        /// BSD's loopback: an address family in the byte order of its host.
        static let null = LinkType(rawValue: 0)
        package static let ethernet = LinkType(rawValue: 1)
        static let ppp = LinkType(rawValue: 9)
        /// IPv4 and IPv6 packets, distinguished by the version in the IP header.
        package static let raw = LinkType(rawValue: 101)
        /// The same as `raw`, by the numbers that BSD programs write instead of 101.
        static let rawOfBSD = LinkType(rawValue: 12)
        static let rawOfOpenBSD = LinkType(rawValue: 14)
        static let pppWithHDLC = LinkType(rawValue: 50)
        /// Packets that start with a PPPoE header (RFC 2516).
        static let pppoe = LinkType(rawValue: 51)
        static let ciscoHDLC = LinkType(rawValue: 104)
        /// OpenBSD's loopback: as `null`, but in network byte order.
        static let loop = LinkType(rawValue: 108)
        /// Linux's "cooked" packets: SLL, of `tcpdump -i any`.
        static let linuxCooked = LinkType(rawValue: 113)
        static let pppOfDaemon = LinkType(rawValue: 166)
        static let ipv4 = LinkType(rawValue: 228)
        static let ipv6 = LinkType(rawValue: 229)
        /// SLL2, of newer versions of tcpdump.
        static let linuxCooked2 = LinkType(rawValue: 276)

        private static let known: Set<LinkType> = [
            .null, .ethernet, .ppp, .raw, .rawOfBSD, .rawOfOpenBSD, .pppWithHDLC, .pppoe, .ciscoHDLC, .loop,
            .linuxCooked,
            .pppOfDaemon, .ipv4, .ipv6, .linuxCooked2,
        ]

        /// The names of some unsupported types, for `refusal`.
        private static let names: [UInt16: String] = [
            105: "Wi-Fi", 119: "Wi-Fi", 127: "Wi-Fi", 163: "Wi-Fi", 187: "Bluetooth", 189: "USB", 201: "Bluetooth",
            220: "USB", 239: "netfilter's log", 249: "USB", 253: "netlink", 254: "Bluetooth",
        ]

        /// The reason why packets of this type cannot be read; nil for a supported type. Reported as an error, so that
        /// a capture of an unsupported type is not mistaken for one without IP packets.
        var refusal: String? {
            guard !Self.known.contains(self) else { return nil }
            let name = Self.names[rawValue].map { ", \($0)" } ?? ""
            return "a packet of link type \(rawValue)\(name), which is not read"
        }
    }
}
