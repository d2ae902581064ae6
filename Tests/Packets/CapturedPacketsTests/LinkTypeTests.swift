// SPDX-License-Identifier: Apache-2.0

import InternetAddresses
import Testing

@testable import CapturedPackets

/// Packets of links other than Ethernet, in captures of both formats.
@Suite struct LinkTypeTests {
    private static let ip: [UInt8] =
        [0x45, 0, 0, 28, 0, 0, 0, 0, 64, 17, 0, 0, 192, 0, 2, 1, 192, 0, 2, 7, 0xC0, 0, 0, 7, 0, 8, 0, 0]
    private static let ip6: [UInt8] =
        [0x60, 0, 0, 0, 0, 8, 17, 64] + address6(1) + address6(7) + [0xC0, 0, 0, 7, 0, 8, 0, 0]
    private static func address6(_ last: UInt8) -> [UInt8] {
        [0x20, 1, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [last]
    }
    private static let mac: [UInt8] = [2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2]
    /// SLL: the packet's kind, the hardware's type, the length of the address and that.
    private static func cooked(_ kind: UInt8, _ hardware: [UInt8] = [0, 1]) -> [UInt8] {
        [0, kind] + hardware + [0, 6] + mac.prefix(6) + [0, 0]
    }
    private static func cooked2(_ kind: UInt8, _ type: [UInt8], _ hardware: [UInt8] = [0, 1]) -> [UInt8] {
        type + [0, 0, 0, 0, 0, 2] + hardware + [kind, 6] + mac.prefix(6) + [0, 0]
    }
    private static let pppoe: [UInt8] = [0x11, 0, 0, 1, 0, 30]
    private static let bottom: [UInt8] = [0, 1, 0x11, 64]

    /// The type of the link, and what stands before IPv4.
    private static let links: [(type: UInt16, header: [UInt8])] = [
        (0, [2, 0, 0, 0]), (0, [0, 0, 0, 2]), (108, [0, 0, 0, 2]),
        (12, []), (14, []), (101, []), (228, []),
        (9, [0, 0x21]), (9, [0x21]), (9, [0xFF, 3, 0, 0x21]), (9, [0xFF, 3, 0x21]),
        (50, [0xFF, 3, 0, 0x21]), (50, [0x0F, 0, 8, 0]), (51, pppoe + [0, 0x21]), (104, [0x0F, 0, 8, 0]),
        (166, [0, 3, 0, 0x21]), (166, [1, 3, 0, 0x21]),
        (113, cooked(4) + [8, 0]), (276, cooked2(4, [8, 0])), (113, cooked(0, [2, 0]) + pppoeInCooked),
        (1, mac + [8, 0]), (1, mac + [0x88, 0x64] + pppoe + [0, 0x21]),
        (1, mac + [0x81, 0, 0, 7, 0x88, 0x64] + pppoe + [0x21]),
        (1, mac + [0x88, 0x47] + bottom), (1, mac + [0x88, 0x48, 0, 1, 0x10, 64] + bottom),
        (1, mac + [0x91, 0, 0, 7, 0x81, 0, 0, 8, 8, 0]), (9, [2, 0x81] + bottom),
    ]
    private static let pppoeInCooked: [UInt8] = [0x88, 0x64] + pppoe + [0, 0x21]

    @Test(arguments: links) func haveTheirPacketsRead(type: UInt16, header: [UInt8]) {
        let bytes = header + Self.ip
        let headers = PacketHeaders(bytes, .init(rawValue: type), length: bytes.count)
        #expect(headers.ip?.source == IPAddress("192.0.2.1") && headers.ports?.destination == 7)
        #expect(headers.networkOffset == header.count && headers.etherType == 0x0800)
        // A header that is cut says nothing of what followed.
        for count in 0..<header.count {
            #expect(PacketHeaders(Array(bytes.prefix(count)), .init(rawValue: type), length: bytes.count).ip == nil)
        }
    }

    @Test(
        arguments: [
            (0, [30, 0, 0, 0]), (0, [0, 0, 0, 24]), (108, [0, 0, 0, 28]), (101, []), (229, []), (9, [0, 0x57]),
            (9, [0x57]),
            (113, cooked(0) + [0x86, 0xDD]), (276, cooked2(0, [0x86, 0xDD])),
            (1, mac + [0x88, 0x64] + pppoe + [0, 0x57]),
            (1, mac + [0x88, 0x47] + bottom),
        ] as [(UInt16, [UInt8])]
    )
    func haveTheirPacketsOfIPv6Read(type: UInt16, header: [UInt8]) {
        let bytes = header + Self.ip6
        let headers = PacketHeaders(bytes, .init(rawValue: type), length: bytes.count)
        #expect(headers.ip?.source == IPAddress("2001:db8::1") && headers.ports?.destination == 7)
    }

    /// A pseudo wire in MPLS, discovery of PPPoE, PPP's own messages, ARP.
    @Test(
        arguments: [
            (1, mac + [0x88, 0x47] + bottom + [0, 0, 0, 0]), (1, mac + [0x88, 0x63, 0x11, 9, 0, 0, 0, 4]),
            (1, mac + [0x88, 0x64, 0x11, 0xA7, 0, 0, 0, 4]), (9, [0xC0, 0x21]), (113, cooked(4) + [8, 6]),
            (0, [7, 0, 0, 0, 9]),
            (1, mac + [0x88, 0x47] + [UInt8](repeating: 0, count: 200)),
        ] as [(UInt16, [UInt8])]
    )
    func saysNothingOfOtherProtocols(type: UInt16, bytes: [UInt8]) {
        #expect(PacketHeaders(bytes, .init(rawValue: type), length: bytes.count).ip == nil)
    }

    /// A file of either format, with one packet.
    private static func file(_ type: UInt16, _ packet: [UInt8], isPcapng: Bool, length: UInt32? = nil) -> [UInt8] {
        func bytes(_ numbers: [UInt32]) -> [UInt8] { numbers.withUnsafeBytes { Array($0) } }
        let count = UInt32(packet.count)
        let total = length ?? count
        guard isPcapng else {
            let header: [UInt32] = [0xA1B2_C3D4, 0x0004_0002, 0, 0, 65535, UInt32(type)]
            return bytes(header + [1, 2, count, total]) + packet
        }
        let padded = packet + [UInt8](repeating: 0, count: -packet.count & 3)
        let size = UInt32(32 + padded.count)
        return bytes([0x0A0D_0D0A, 28, 0x1A2B_3C4D, 1, .max, .max, 28]) + bytes([1, 20, UInt32(type), 65535, 20])
            + bytes([6, size, 0, 0, 1, count, total]) + padded + bytes([size])
    }

    private static func packets(_ file: [UInt8]) throws -> [CapturedPacket] {
        var reader = CaptureReader()
        reader.append(file)
        var packets: [CapturedPacket] = []
        while let record = try reader.next() { if case .packet(let packet) = record { packets.append(packet) } }
        return packets
    }

    /// Wi-Fi, USB, and a number of nothing.
    @Test(arguments: [105, 127, 189, 6, 147, 65000] as [UInt16], [false, true])
    func areRefusedByNumberIfTheyAreNotRead(type: UInt16, isPcapng: Bool) {
        #expect { try Self.packets(Self.file(type, Self.ip, isPcapng: isPcapng)) } throws: {
            "\($0)".contains("link type \(type)")
        }
    }

    @Test(
        arguments: [
            (113, cooked(4) + [8, 0], .outbound), (113, cooked(0) + [8, 0], .inbound),
            (113, cooked(3) + [8, 0], .unknown),
            (276, cooked2(4, [8, 0]), .outbound), (276, cooked2(0, [8, 0]), .inbound),
            // On loopback each packet goes both ways.
            (113, cooked(0, [3, 4]) + [8, 0], .unknown), (276, cooked2(0, [8, 0], [3, 4]), .unknown),
            (101, [], .unknown),
        ] as [(UInt16, [UInt8], CapturedPacket.Direction)],
        [false, true]
    )
    func tellTheWayOfAPacket(link: (type: UInt16, header: [UInt8], way: CapturedPacket.Direction), isPcapng: Bool)
        throws
    {
        let packets = try Self.packets(Self.file(link.type, link.header + Self.ip, isPcapng: isPcapng))
        #expect(packets.map(\.direction) == [link.way])
    }

    /// A length that no packet has would be counted as so many bytes, and split into as many segments.
    @Test(arguments: [0x7FFF_FFFF, 0xFFFF_FFFF] as [UInt32], [false, true])
    func noPacketIsLongerThanAnyLinkAllows(length: UInt32, isPcapng: Bool) {
        #expect { try Self.packets(Self.file(101, Self.ip, isPcapng: isPcapng, length: length)) } throws: {
            "\($0)".contains("a packet of \(length) bytes")
        }
    }

    /// Offsets of seconds that no clock has.
    @Test(arguments: [(Int64.min, -1), (.max, 1), (-9_223_372_037, -1), (9_223_372_037, 1)] as [(Int64, Int64)])
    func differencesOfTimesFit(offset: Int64, sign: Int64) throws {
        func bytes(_ numbers: [UInt32]) -> [UInt8] { numbers.withUnsafeBytes { Array($0) } }
        let halves = withUnsafeBytes(of: offset) { Array($0) }
        var file = Self.file(101, Self.ip, isPcapng: true)
        let options = bytes([8 << 16 | 14]) + halves + bytes([0])
        let size = UInt32(20 + options.count)
        file.replaceSubrange(28..<48, with: bytes([1, size, 101, 65535]) + options + bytes([size]))
        let time = try #require(try Self.packets(file).first?.time)
        #expect(time == sign * ((1 << 62) - 1))
    }
}
