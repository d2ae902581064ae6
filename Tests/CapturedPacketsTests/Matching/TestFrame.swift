// SPDX-License-Identifier: Apache-2.0

import CapturedPackets

/// A UDP packet in an Ethernet frame, with right checksums.
struct TestFrame {
    var isIPv6 = false
    var identification: UInt16 = 0
    var ecn: UInt8 = 0
    var payload: [UInt8] = []
    /// Whether the UDP checksum is that of the addresses alone, as long as a network card is to compute it.
    var isPartial = false

    /// Where the UDP header begins.
    var transport: Int { isIPv6 ? 54 : 34 }

    var bytes: [UInt8] {
        let addresses: [UInt8] =
            isIPv6
            ? [UInt8](repeating: 0x20, count: 16) + [UInt8](repeating: 0x21, count: 16)
            : [10, 0, 0, 1, 10, 0, 0, 2]
        let length = UInt16(8 + payload.count)
        var udp: [UInt8] = [0xC0, 0, 0, 9, UInt8(length >> 8), UInt8(length & 0xFF), 0, 0] + payload
        let pseudo = addresses + [0, 17, UInt8(length >> 8), UInt8(length & 0xFF)]
        let checksum = isPartial ? ~Self.checksum(pseudo) : Self.checksum(pseudo + udp)
        (udp[6], udp[7]) = (UInt8(checksum >> 8), UInt8(checksum & 0xFF))
        let ethernet = [UInt8](repeating: 2, count: 12)
        guard !isIPv6 else {
            let head: [UInt8] = [0x60, ecn << 4, 0, 0, UInt8(length >> 8), UInt8(length & 0xFF), 17, 64]
            return ethernet + [0x86, 0xDD] + head + addresses + udp
        }
        let total = length + 20
        var head: [UInt8] = [0x45, ecn, UInt8(total >> 8), UInt8(total & 0xFF)]
        head += [UInt8(identification >> 8), UInt8(identification & 0xFF), 0x40, 0, 64, 17, 0, 0] + addresses
        let sum = Self.checksum(head)
        (head[10], head[11]) = (UInt8(sum >> 8), UInt8(sum & 0xFF))
        return ethernet + [8, 0] + head + udp
    }

    /// The frame as it was seen.
    func seen(at time: Int64, in lane: Int = 0, flipping bit: Int? = nil) -> PacketSighting {
        var bytes = bytes
        if let bit { bytes[bit / 8] ^= 1 << (bit % 8) }
        return PacketSighting(
            CapturedPacket(interface: lane, time: time, bytes: bytes),
            hasFinalChecksums: !isPartial
        )
    }

    private static func checksum(_ bytes: [UInt8]) -> UInt16 {
        var sum = 0
        for (index, byte) in bytes.enumerated() { sum += index % 2 == 0 ? Int(byte) << 8 : Int(byte) }
        while sum > 0xFFFF { sum = sum & 0xFFFF + sum >> 16 }
        return ~UInt16(sum)
    }
}

extension LaneMatcher {
    /// A matcher of an uplink, 0, and a downlink, 1, that hold packets for at most `stay` milliseconds.
    static func ofTwoLanes(stay: Int64 = 100, limit: Int = 64 << 20) -> LaneMatcher {
        var matcher = LaneMatcher(limit: limit)
        matcher.add(Lane("uplink", isSent: true), interface: 0)
        matcher.add(Lane("downlink", isSent: false), interface: 1)
        matcher.allow(stay: stay * 1_000_000)
        return matcher
    }

    /// All that can be given out at this time.
    mutating func all(now: Int64) -> [CapturedPacket] {
        var packets: [CapturedPacket] = []
        while let packet = next(now: now) { packets.append(packet) }
        return packets
    }
}

extension [CapturedPacket] {
    var fates: [String] { flatMap(\.comments) }
}
