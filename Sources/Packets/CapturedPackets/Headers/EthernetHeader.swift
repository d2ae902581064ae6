// SPDX-License-Identifier: Apache-2.0

/// The header of an Ethernet frame: IEEE 802.3, with 802.1Q tags.
package struct EthernetHeader: Hashable, Sendable {
    /// The VLAN IDs, outermost first.
    package var vlans: [UInt16] = []
    /// The protocol of the payload.
    package var etherType: UInt16

    /// 802.1Q, 802.1ad, and the EtherType that 802.1ad equipment used before the standard.
    private static func isTag(_ type: UInt16) -> Bool { type == 0x8100 || type == 0x88A8 || type == 0x9100 }
    /// More tags than any network has.
    private static let maximumTags = 8

    init?(_ cursor: inout ByteCursor) {
        // The addresses of the receiver and the sender.
        guard cursor.skip(12), var type = cursor.word() else { return nil }
        while Self.isTag(type), vlans.count < Self.maximumTags {
            guard let tag = cursor.word(), let next = cursor.word() else { break }
            vlans.append(tag & 0xFFF)
            type = next
        }
        etherType = type
    }
}
