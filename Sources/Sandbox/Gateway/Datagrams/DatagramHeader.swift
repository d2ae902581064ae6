// SPDX-License-Identifier: Apache-2.0

internal import CLinuxCalls
internal import CapturedPackets
internal import PacketPump

/// The fields of a datagram's IP header that the gateway preserves, besides the addresses.
struct DatagramHeader: Equatable {
    var hopLimit: UInt8
    /// DSCP and ECN (RFC 2474, RFC 3168).
    var trafficClass: UInt8
    /// Whether routers may fragment the datagram.
    var mayBeCut: Bool

    init(hopLimit: UInt8, trafficClass: UInt8, mayBeCut: Bool) {
        (self.hopLimit, self.trafficClass, self.mayBeCut) = (hopLimit, trafficClass, mayBeCut)
    }

    /// Reads the fields from a client's datagram.
    init(_ packet: TransportPacket) {
        let start = UnsafeRawPointer(packet.bytes)
        if packet.layout.isIPv6 {
            hopLimit = start.byte(7)
            trafficClass = UInt8(truncatingIfNeeded: start.word(0) >> 4)
            // IPv6 routers never fragment. A datagram of more than 1,500 bytes came in its sender's fragments.
            mayBeCut = packet.layout.end > 1500
        } else {
            hopLimit = start.byte(8)
            trafficClass = start.byte(1)
            mayBeCut = start.word(6) & 0x4000 == 0
        }
    }

    /// Writes the traffic class that the kernel reported for a server's datagram to its new header; updates IPv4's
    /// checksum.
    static func write(_ datagram: lc_datagram, to header: UnsafeMutableRawPointer, isIPv6: Bool) {
        let trafficClass = UInt8(truncatingIfNeeded: datagram.traffic_class)
        if isIPv6 {
            header.setWord(0, 0x6000 | UInt16(trafficClass) << 4)
        } else if trafficClass != 0 {
            let old = UnsafeRawPointer(header).word(0)
            header.setByte(1, trafficClass)
            let sum = Checksum.updated(UnsafeRawPointer(header).word(10), old, UnsafeRawPointer(header).word(0))
            header.setWord(10, sum)
        }
    }
}
