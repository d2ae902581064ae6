// SPDX-License-Identifier: Apache-2.0

public import InternetAddresses

/// The header of an IP packet: RFC 791, or RFC 8200 with its extension headers.
public struct IPHeader: Hashable, Sendable {
    /// The sender's address.
    public var source: IPAddress
    /// The receiver's address.
    public var destination: IPAddress
    /// Time to live, or hop limit.
    public var hopLimit: UInt8
    /// The length of the packet in bytes; 0 if the header does not say.
    public var length: Int
    /// The protocol above, of IANA's list.
    public var transportProtocol: UInt8
    /// DSCP and ECN.
    public var trafficClass: UInt8
    /// The identification, of fragments; 0 in IPv6 packets that are none.
    public var identification: UInt32 = 0
    /// Where a fragment belongs in its packet, in bytes.
    public var fragmentOffset = 0
    /// Whether more fragments follow.
    public var hasMoreFragments = false

    static let ipv4Type: UInt16 = 0x0800
    static let ipv6Type: UInt16 = 0x86DD
    static let tcp: UInt8 = 6
    static let udp: UInt8 = 17
    static let icmp4: UInt8 = 1
    static let icmp6: UInt8 = 58
    /// More extension headers than a packet has that is no attack.
    private static let longestChain = 16

    /// Whether it is part of a packet.
    public var isFragment: Bool { fragmentOffset > 0 || hasMoreFragments }

    init?(_ cursor: inout ByteCursor, isIPv6: Bool) {
        guard let header = isIPv6 ? IPHeader(ipv6: &cursor) : IPHeader(ipv4: &cursor) else { return nil }
        self = header
    }

    private init?(ipv4 cursor: inout ByteCursor) {
        guard let first = cursor.byte(), first >> 4 == 4, let trafficClass = cursor.byte(),
            let length = cursor.word(), let identification = cursor.word(), let fragment = cursor.word(),
            let hopLimit = cursor.byte(), let transport = cursor.byte(), cursor.word() != nil,
            let source = cursor.address(4),
            let destination = cursor.address(4),
            cursor.skip(Int(first & 0xF) * 4 - 20)
        else { return nil }
        self.source = source
        self.destination = destination
        self.hopLimit = hopLimit
        self.length = Int(length)
        transportProtocol = transport
        self.trafficClass = trafficClass
        self.identification = UInt32(identification)
        fragmentOffset = Int(fragment & 0x1FFF) * 8
        hasMoreFragments = fragment & 0x2000 != 0
    }

    private init?(ipv6 cursor: inout ByteCursor) {
        guard let first = cursor.long(), first >> 28 == 6, let payload = cursor.word(), let next = cursor.byte(),
            let hopLimit = cursor.byte(), let source = cursor.address(16),
            let destination = cursor.address(16)
        else { return nil }
        self.source = source
        self.destination = destination
        self.hopLimit = hopLimit
        // A jumbogram (RFC 2675), or a super-packet, has no length here.
        length = payload == 0 ? 0 : Int(payload) + 40
        transportProtocol = next
        trafficClass = UInt8(truncatingIfNeeded: first >> 20)
        readExtensions(&cursor)
    }

    /// Passes hop-by-hop options, routing, destination options, authentication and fragment headers.
    private mutating func readExtensions(_ cursor: inout ByteCursor) {
        for _ in 0..<Self.longestChain {
            switch transportProtocol {
            case 0, 43, 60, 51:
                let isAuthentication = transportProtocol == 51
                guard let next = cursor.byte(), let length = cursor.byte() else { return }
                // AH (RFC 4302) counts in 4 bytes, the others in 8 (RFC 8200).
                let rest = isAuthentication ? Int(length) * 4 + 6 : Int(length) * 8 + 6
                guard cursor.skip(rest) else { return }
                transportProtocol = next
            case 44:
                guard let next = cursor.byte(), cursor.skip(1), let fragment = cursor.word(),
                    let identification = cursor.long()
                else { return }
                transportProtocol = next
                self.identification = identification
                fragmentOffset = Int(fragment & 0xFFF8)
                hasMoreFragments = fragment & 1 != 0
                if fragmentOffset > 0 { return }
            default: return
            }
        }
    }
}

extension ByteCursor {
    /// An address of so many bytes.
    fileprivate mutating func address(_ count: Int) -> IPAddress? {
        bytes(count).flatMap { IPAddress(bytes: Array($0)) }
    }
}
