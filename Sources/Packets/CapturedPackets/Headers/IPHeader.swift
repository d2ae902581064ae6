// SPDX-License-Identifier: Apache-2.0

package import InternetAddresses
package import LinkProfiles

/// The header of an IP packet: RFC 791, or RFC 8200 with its extension headers.
package struct IPHeader: Hashable, Sendable {
    package var source: IPAddress
    package var destination: IPAddress
    /// The length of the packet in bytes; 0 if the header does not say.
    package var length: Int
    /// The protocol of the payload: a number of IANA's list.
    package var transportProtocol: UInt8
    /// The identification, by which fragments of one packet are joined; 0 in IPv6 packets that are not fragments.
    package var identification: UInt32 = 0
    /// The offset of a fragment in its packet, in bytes.
    package var fragmentOffset = 0
    package var hasMoreFragments = false
    /// Whether a router may mark the packet instead of dropping it, or has.
    package var ecn: ECNSupport

    static let ipv4Type: UInt16 = 0x0800
    static let ipv6Type: UInt16 = 0x86DD
    static let tcp: UInt8 = 6
    package static let udp: UInt8 = 17
    static let icmp4: UInt8 = 1
    static let icmp6: UInt8 = 58
    /// More extension headers than any packet has, except in an attack.
    private static let longestChain = 16

    /// Whether this is a fragment of a packet.
    package var isFragment: Bool { fragmentOffset > 0 || hasMoreFragments }

    init?(ipv4 cursor: inout ByteCursor) {
        guard let first = cursor.byte(), first >> 4 == 4, let traffic = cursor.byte(), let length = cursor.word(),
            let identification = cursor.word(), let fragment = cursor.word(), cursor.skip(1),
            let transport = cursor.byte(), cursor.skip(2), let source = cursor.address(4),
            let destination = cursor.address(4), cursor.skip(Int(first & 0xF) * 4 - 20)
        else { return nil }
        (self.source, self.destination) = (source, destination)
        ecn = ECNSupport(rawValue: UInt8(traffic & 3)) ?? .none
        self.length = Int(length)
        transportProtocol = transport
        self.identification = UInt32(identification)
        fragmentOffset = Int(fragment & 0x1FFF) * 8
        hasMoreFragments = fragment & 0x2000 != 0
    }

    init?(ipv6 cursor: inout ByteCursor) {
        guard let first = cursor.long(), first >> 28 == 6, let payload = cursor.word(), let next = cursor.byte(),
            cursor.skip(1), let source = cursor.address(16), let destination = cursor.address(16)
        else { return nil }
        (self.source, self.destination) = (source, destination)
        ecn = ECNSupport(rawValue: UInt8(first >> 20 & 3)) ?? .none
        // A jumbogram (RFC 2675), or a super-packet, has no length here.
        length = payload == 0 ? 0 : Int(payload) + 40
        transportProtocol = next
        readExtensions(&cursor)
    }

    /// Skips the extension headers: hop-by-hop options, routing, destination options, authentication and fragment.
    /// Stores the fragment's figures and the protocol of the payload.
    private mutating func readExtensions(_ cursor: inout ByteCursor) {
        for _ in 0..<Self.longestChain {
            switch transportProtocol {
            case 0, 43, 60, 51:
                // AH (RFC 4302) counts in 4 bytes, the others in 8 (RFC 8200).
                let unit = transportProtocol == 51 ? 4 : 8
                guard let next = cursor.byte(), let length = cursor.byte(), cursor.skip(Int(length) * unit + 6)
                else { return }
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
    fileprivate mutating func address(_ count: Int) -> IPAddress? {
        bytes(count).flatMap { IPAddress($0) }
    }
}
