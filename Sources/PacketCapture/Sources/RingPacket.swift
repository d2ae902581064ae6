// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
package import CapturedPackets

/// A packet in the ring. Its bytes stay there only as long as it is handed out.
package struct RingPacket: ~Copyable {
    private let packet: lc_ring_packet

    init(_ packet: lc_ring_packet) { self.packet = packet }

    /// The index of the interface.
    package var interface: Int32 { packet.interface }
    /// When the kernel saw it, in nanoseconds since 1970.
    package var time: Int64 { packet.time }
    /// The bytes that were kept, from the link's header on, without a tag that the network card took off.
    package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: packet.bytes, count: Int(packet.kept)) }
    /// The whole length.
    package var length: Int { Int(packet.length) }
    /// The payload of each wire packet of a super-packet; 0 for a single packet.
    package var segmentSize: Int { Int(packet.segment_size) }
    /// The way that it went: PACKET_OUTGOING of packet(7), or another.
    package var direction: CapturedPacket.Direction { packet.kind == 4 ? .outbound : .inbound }
    /// The kind of interface: ARPHRD of <net/if_arp.h>.
    package var hardware: UInt16 { packet.hardware }

    /// The tag that the network card took off: protocol and value; nil for none.
    package var tag: (type: UInt16, value: UInt16)? {
        packet.vlan_type == 0 ? nil : (packet.vlan_type, packet.vlan)
    }

    /// The bytes and the length with the tag in its place.
    var taggedBytes: (bytes: [UInt8], length: Int) {
        guard let tag, bytes.count >= 12 else { return (Array(bytes), length) }
        let inserted = [tag.type, tag.value].flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        return (Array(bytes[..<12]) + inserted + bytes[12...], length + 4)
    }
}
