// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import LinkProfiles
import Testing

/// In which direction a link carries a packet of a capture.
@Suite struct PacketDirectionTests {
    private func packet(_ way: CapturedPacket.Direction, _ comments: [String] = []) -> CapturedPacket {
        var packet = CapturedPacket(time: 0, bytes: [])
        (packet.direction, packet.comments) = (way, comments)
        return packet
    }

    @Test(
        arguments: [(.unknown, nil), (.inbound, .downlink), (.outbound, .uplink)]
            as [(CapturedPacket.Direction, Direction?)]
    )
    func followsTheCaptureWithoutAFate(way: CapturedPacket.Direction, direction: Direction?) {
        let packet = packet(way, ["a remark"])
        #expect(packet.fate == nil && packet.linkDirection(packet.fate) == direction)
    }

    /// On loopback, the pump's lanes tell more than the interface.
    @Test(arguments: [(Lane.uplink, Direction.uplink), (.dns, .uplink), (.downlink, .downlink)])
    func followsTheLaneOfTheFate(lane: Lane, direction: Direction) {
        for way in [.unknown, .inbound, .outbound] as [CapturedPacket.Direction] {
            let packet = packet(way, ["a remark", "lane=\(lane.name) fate=passed", "lane=downlink fate=marked"])
            #expect(packet.fate?.fate == .passed && packet.linkDirection(packet.fate) == direction)
        }
    }
}
