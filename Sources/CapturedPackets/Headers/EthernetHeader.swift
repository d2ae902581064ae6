// SPDX-License-Identifier: Apache-2.0

/// The header of an Ethernet frame: IEEE 802.3, with 802.1Q tags.
package struct EthernetHeader: Hashable, Sendable {
    /// The receiver's address, of six bytes.
    var destination: [UInt8]
    var source: [UInt8]
    /// The VLANs, outermost first.
    package var vlans: [UInt16] = []
    /// The protocol above.
    package var etherType: UInt16

    /// 802.1Q and 802.1ad.
    private static let tags: Set<UInt16> = [0x8100, 0x88A8]
    /// More tags than any network has.
    private static let mostTags = 8

    init?(_ cursor: inout ByteCursor) {
        guard let destination = cursor.bytes(6), let source = cursor.bytes(6), var type = cursor.word() else {
            return nil
        }
        (self.destination, self.source) = (Array(destination), Array(source))
        while Self.tags.contains(type), vlans.count < Self.mostTags {
            guard let tag = cursor.word(), let next = cursor.word() else { break }
            vlans.append(tag & 0xFFF)
            type = next
        }
        etherType = type
    }
}
