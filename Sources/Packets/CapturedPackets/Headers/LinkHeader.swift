// SPDX-License-Identifier: Apache-2.0

/// The headers of a packet before IP: the link's own header, and the headers of PPPoE, PPP and MPLS in it.
struct LinkHeader {
    /// nil for other kinds of links.
    var ethernet: EthernetHeader?
    /// The protocol above: an EtherType; 0 if it has none.
    var etherType: UInt16 = 0

    private static let pppoeSession: UInt16 = 0x8864
    private static let mpls: [UInt16] = [0x8847, 0x8848]
    /// More labels than any network has.
    private static let maximumLabels = 16

    /// Reads up to the header above, as far as the packet has it.
    init(_ cursor: inout ByteCursor, _ linkType: CapturedInterface.LinkType) {
        switch linkType {
        case .ethernet:
            ethernet = EthernetHeader(&cursor)
            etherType = ethernet?.etherType ?? 0
        case .raw, .rawOfOpenBSD, .rawOfBSD, .ipv4, .ipv6: etherType = Self.versionOfIP(cursor)
        case .null, .loop:
            // The address family, in the byte order of the host that captured, which need not be the file's. IPv4 is 2
            // everywhere, IPv6 24, 28 or 30: the packet tells.
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

    /// The EtherType of what begins with an IP header; 0 for anything else.
    private static func versionOfIP(_ cursor: ByteCursor) -> UInt16 {
        switch cursor.rest.first.map({ $0 >> 4 }) {
        case 4: IPHeader.ipv4Type
        case 6: IPHeader.ipv6Type
        default: 0
        }
    }

    /// RFC 2516: version and type 1, a session's data, its number and the length.
    private mutating func readPPPoE(_ cursor: inout ByteCursor) {
        guard cursor.byte() == 0x11, cursor.byte() == 0, cursor.skip(4) else { return etherType = 0 }
        readPPP(&cursor)
    }

    /// RFC 1661: the protocol, of one byte or two, perhaps after the two bytes of HDLC (RFC 1662). pppd writes 0 or 1, the
    /// packet's direction, in place of the first of these.
    private mutating func readPPP(_ cursor: inout ByteCursor) {
        if let first = cursor.rest.first, [0, 1, 0xFF].contains(first), cursor.rest.dropFirst().first == 3 {
            _ = cursor.skip(2)
        } else if let first = cursor.rest.first, [0x0F, 0x8F].contains(first), cursor.rest.dropFirst().first == 0 {
            // Cisco's HDLC, with an EtherType.
            if cursor.skip(2) { etherType = cursor.word() ?? 0 }
            return
        }
        var number = cursor.byte().map(UInt16.init) ?? 0
        // The first byte is even, unless it is left out.
        if number & 1 == 0 { number = number << 8 | UInt16(cursor.byte() ?? 0) }
        switch number {
        case 0x21: etherType = IPHeader.ipv4Type
        case 0x57: etherType = IPHeader.ipv6Type
        case 0x281: etherType = Self.mpls[0]
        case 0x283: etherType = Self.mpls[1]
        default: etherType = 0
        }
    }

    /// RFC 3032: labels, of which the last has a bit set. What follows says nothing of its kind, but IP has a version.
    private mutating func readLabels(_ cursor: inout ByteCursor) {
        etherType = 0
        for _ in 0..<Self.maximumLabels {
            guard let label = cursor.long() else { return }
            if label & 0x100 != 0 { return etherType = Self.versionOfIP(cursor) }
        }
    }

    /// The way of a packet, if the link's header tells: cooked captures do, but for loopback, where a packet has both.
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
