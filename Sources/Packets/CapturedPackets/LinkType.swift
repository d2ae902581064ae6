// SPDX-License-Identifier: Apache-2.0

extension CapturedInterface {
    /// The form of an interface's packets: a LINKTYPE of the pcap project's list.
    package struct LinkType: RawRepresentable, Hashable, Sendable {
        package let rawValue: UInt16

        package init(rawValue: UInt16) { self.rawValue = rawValue }

        /// BSD's loopback: an address family in the byte order of its host.
        static let null = LinkType(rawValue: 0)
        package static let ethernet = LinkType(rawValue: 1)
        static let ppp = LinkType(rawValue: 9)
        /// IPv4 and IPv6 packets, told apart by their version.
        package static let raw = LinkType(rawValue: 101)
        /// The same, by the numbers that programs have in place of the list's.
        static let rawOfBSD = LinkType(rawValue: 12)
        static let rawOfOpenBSD = LinkType(rawValue: 14)
        static let pppWithHDLC = LinkType(rawValue: 50)
        /// The link's header is that of PPPoE (RFC 2516).
        static let pppoe = LinkType(rawValue: 51)
        static let ciscoHDLC = LinkType(rawValue: 104)
        /// OpenBSD's loopback: as `null`, in network byte order.
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

        /// The names of some that are not read.
        private static let names: [UInt16: String] = [
            105: "Wi-Fi", 119: "Wi-Fi", 127: "Wi-Fi", 163: "Wi-Fi", 187: "Bluetooth", 189: "USB", 201: "Bluetooth",
            220: "USB", 239: "netfilter's log", 249: "USB", 253: "netlink", 254: "Bluetooth",
        ]

        /// The reason why packets of this type are not read; nil if they are: they must not pass for packets that are not IP.
        var refusal: String? {
            guard !Self.known.contains(self) else { return nil }
            let name = Self.names[rawValue].map { ", \($0)" } ?? ""
            return "a packet of link type \(rawValue)\(name), which is not read"
        }
    }
}
