// SPDX-License-Identifier: Apache-2.0

/// The headers of a packet before IP: the link's own header, and the headers of PPPoE, PPP and MPLS in it.
struct LinkHeader {
    /// The Ethernet header; nil for links of another kind.
    var ethernet: EthernetHeader?
    /// The EtherType of the payload; 0 if its protocol has no EtherType or is unknown.
    var etherType: UInt16 = 0

    private static let pppoeSession: UInt16 = 0x8864
    private static let mpls: [UInt16] = [0x8847, 0x8848]
    /// More labels than any network has.
    private static let maximumLabels = 16

    /// Reads the headers up to the network layer, as far as the packet contains them.
    init(_ cursor: inout ByteCursor, _ linkType: CapturedInterface.LinkType) {
        switch linkType {
        case .ethernet:
            ethernet = EthernetHeader(&cursor)
            etherType = ethernet?.etherType ?? 0
        case .raw, .rawOfOpenBSD, .rawOfBSD, .ipv4, .ipv6: etherType = Self.versionOfIP(cursor)
        case .null, .loop:
            // The address family, in the byte order of the host that captured, which need not be the file's. IPv4 is 2
            // everywhere, IPv6 24, 28 or 30: the packet's IP version is used instead.
            if cursor.skip(4) { etherType = Self.versionOfIP(cursor) }
        case .linuxCooked:
            if cursor.skip(14) { etherType = cursor.word() ?? 0 }
        case .linuxCooked2:
            etherType = cursor.word() ?? 0
            if !cursor.skip(18) { etherType = 0 }
        case .ppp, .pppWithHDLC, .pppOfDaemon: readPPP(&cursor)
        case .ciscoHDLC:
            if cursor.skip(2) { etherType = cursor.word() ?? 0 }
        case .pppoe: readPPPoE(&cursor)
        default: break
        }
        if etherType == Self.pppoeSession { readPPPoE(&cursor) }
        if Self.mpls.contains(etherType) { readLabels(&cursor) }
    }

    /// The EtherType for the IP version in the next byte; 0 if the version is neither 4 nor 6.
    private static func versionOfIP(_ cursor: ByteCursor) -> UInt16 {
        switch cursor.rest.first.map({ $0 >> 4 }) {
        case 4: IPHeader.ipv4Type
        case 6: IPHeader.ipv6Type
        default: 0
        }
    }

    /// Reads PPPoE (RFC 2516): version and type 1, code 0 for session data, the session's ID and the length; then PPP.
    private mutating func readPPPoE(_ cursor: inout ByteCursor) {
        guard cursor.byte() == 0x11, cursor.byte() == 0, cursor.skip(4) else { return etherType = 0 }
        readPPP(&cursor)
    }

    /// Reads PPP (RFC 1661): the protocol of one byte or two, perhaps after HDLC's two bytes (RFC 1662). Captures by
    /// pppd have the packet's direction, 0 or 1, in place of HDLC's first byte.
    private mutating func readPPP(_ cursor: inout ByteCursor) {
        if let first = cursor.rest.first, [0, 1, 0xFF].contains(first), cursor.rest.dropFirst().first == 3 {
            _ = cursor.skip(2)
        } else if let first = cursor.rest.first, [0x0F, 0x8F].contains(first), cursor.rest.dropFirst().first == 0 {
            // Cisco's HDLC, with an EtherType.
            if cursor.skip(2) { etherType = cursor.word() ?? 0 }
            return
        }
        var number = cursor.byte().map(UInt16.init) ?? 0
        // The upper byte of the protocol is even; an odd first byte is the lower one, and the upper one is left out.
        if number & 1 == 0 { number = number << 8 | UInt16(cursor.byte() ?? 0) }
        switch number {
        case 0x21: etherType = IPHeader.ipv4Type
        case 0x57: etherType = IPHeader.ipv6Type
        case 0x281: etherType = Self.mpls[0]
        case 0x283: etherType = Self.mpls[1]
        default: etherType = 0
        }
    }

    /// Reads MPLS labels (RFC 3032); the last one has a bit set. No field names the payload's protocol: an IP packet is
    /// recognized by its version.
    private mutating func readLabels(_ cursor: inout ByteCursor) {
        etherType = 0
        for _ in 0..<Self.maximumLabels {
            guard let label = cursor.long() else { return }
            if label & 0x100 != 0 { return etherType = Self.versionOfIP(cursor) }
        }
    }

    /// The direction of a packet, if the link's header contains it: only cooked captures do. Unknown on loopback, where
    /// a packet has both directions.
    static func direction(of bytes: ArraySlice<UInt8>, _ linkType: CapturedInterface.LinkType)
        -> CapturedPacket.Direction
    {
        var cursor = ByteCursor(bytes)
        let (kind, hardware): (UInt16?, UInt16?)
        switch linkType {
        case .linuxCooked: (kind, hardware) = (cursor.word(), cursor.word())
        case .linuxCooked2:
            guard cursor.skip(8) else { return .unknown }
            hardware = cursor.word()
            kind = cursor.byte().map(UInt16.init)
        default: return .unknown
        }
        let loopback: UInt16 = 772
        guard let kind, let hardware, hardware != loopback else { return .unknown }
        // PACKET_HOST, PACKET_BROADCAST, PACKET_MULTICAST and PACKET_OUTGOING of packet(7).
        return kind == 4 ? .outbound : kind < 3 ? .inbound : .unknown
    }
}
