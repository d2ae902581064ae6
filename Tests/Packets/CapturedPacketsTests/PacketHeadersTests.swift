// SPDX-License-Identifier: Apache-2.0

import InternetAddresses
import LinkProfiles
import Testing

@testable import CapturedPackets

/// What the headers of packets say.
@Suite struct PacketHeadersTests {
    private static let ethernet: [UInt8] = [2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2]
    private static let addresses4: [UInt8] = [10, 0, 0, 1, 192, 0, 2, 7]
    private static let addresses6: [UInt8] =
        [0x20, 1, 0x0D, 0xB8] + Array(repeating: 0, count: 11) + [1] + [0x20, 1, 0x0D, 0xB8]
        + Array(repeating: 0, count: 11) + [2]
    /// Options: largest segment 1460, selective acknowledgments, timestamps, padding, scale 7.
    private static let syn: [UInt8] =
        [0xC0, 0, 0, 80, 0, 0, 3, 0xE8, 0, 0, 0, 0, 0xA0, 2, 0xFA, 0xF0, 0, 0, 0, 0]
        + [2, 4, 5, 0xB4, 4, 2, 8, 10, 0, 0, 0, 9, 0, 0, 0, 0, 1, 3, 3, 7]

    private static func ipv4(_ transport: UInt8, _ body: [UInt8], fragment: UInt16 = 0) -> [UInt8] {
        let length = UInt16(20 + body.count)
        return [0x45, 2, UInt8(length >> 8), UInt8(length & 0xFF), 0, 5, UInt8(fragment >> 8), UInt8(fragment & 0xFF)]
            + [64, transport, 0, 0] + addresses4 + body
    }

    private static func ipv6(_ next: UInt8, _ body: [UInt8]) -> [UInt8] {
        [0x60, 0x20, 0, 0, UInt8(body.count >> 8), UInt8(body.count & 0xFF), next, 255] + addresses6 + body
    }

    private static let tcp4 = ethernet + [8, 0] + ipv4(6, syn)
    private static let udp6 =
        ethernet + [0x86, 0xDD] + ipv6(0, [17, 0, 5, 2, 0, 0, 1, 0] + [0, 53, 0xC0, 1, 0, 12, 0, 0, 1, 2, 3, 4])
    private static let tagged =
        ethernet + [0x88, 0xA8, 0, 7, 0x81, 0, 0x20, 9, 8, 0] + ipv4(1, [8, 0, 0, 0, 0, 1, 0, 2, 9])
    private static let fragment = ethernet + [8, 0] + ipv4(17, [1, 2, 3, 4, 5, 6, 7, 8], fragment: 0x2001)
    static let frames = [
        tcp4, udp6, tagged, fragment, ipv4(6, syn), ipv6(6, syn), ipv6(44, [6, 0, 0, 1, 0, 0, 0, 9] + syn),
    ]

    private func read(_ bytes: [UInt8], _ type: CapturedInterface.LinkType = .ethernet, length: Int? = nil)
        -> PacketHeaders
    {
        PacketHeaders(bytes, type, length: length ?? bytes.count)
    }

    /// ECT(0) of RFC 3168 in both versions, and not-ECT.
    @Test(arguments: [(tcp4, 15, UInt8(0xFD)), (udp6, 15, 0xCF)])
    func tellsWhatMayBeMarked(frame: [UInt8], place: Int, others: UInt8) {
        var frame = frame
        #expect(read(frame).ip?.ecn != ECNSupport.none)
        frame[place] &= others
        #expect(read(frame).ip?.ecn == ECNSupport.none)
    }

    @Test func understandsTCP() throws {
        let headers = read(Self.tcp4)
        #expect(headers.ethernet?.vlans == [])
        let ip = try #require(headers.ip)
        #expect(ip.source == IPAddress("10.0.0.1") && ip.destination == IPAddress("192.0.2.7"))
        #expect(ip.identification == 5 && !ip.isFragment)
        guard case .tcp(let tcp) = headers.transport else {
            Issue.record("\(String(describing: headers.transport))")
            return
        }
        #expect(tcp.sourcePort == 0xC000 && tcp.destinationPort == 80)
        #expect(tcp.sequence == 1000 && tcp.flags == .syn && tcp.window == 0xFAF0)
        #expect(tcp.maximumSegment == 1460)
        #expect(tcp.timestamp?.value == 9 && tcp.timestamp?.echo == 0)
        #expect(headers.payload.isEmpty && headers.payloadLength == 0)
    }

    @Test func readsSelectiveAcknowledgments() throws {
        let options: [UInt8] = [1, 1, 5, 18, 0, 0, 0, 5, 0, 0, 0, 9, 255, 255, 255, 255, 0, 0, 0, 3]
        let segment = Array(Self.syn[..<12]) + [0xA0, 0x10] + Array(Self.syn[14..<20]) + options
        guard case .tcp(let tcp) = read(Self.ipv4(6, segment), .raw).transport else {
            Issue.record("no TCP")
            return
        }
        #expect(tcp.selectiveAcknowledgments.map(\.begin) == [5, 0xFFFF_FFFF])
        #expect(tcp.selectiveAcknowledgments.map(\.end) == [9, 3])
        #expect(tcp.flags == .acknowledgment)
    }

    @Test func understandsUDPBehindExtensionHeaders() throws {
        let headers = read(Self.udp6)
        #expect(headers.ip?.source == IPAddress("2001:db8::1"))
        #expect(headers.ports?.source == 53 && headers.ports?.destination == 0xC001)
        #expect(Array(Self.udp6[headers.payload]) == [1, 2, 3, 4] && headers.payloadLength == 4)
    }

    @Test func understandsTagsAndICMP() {
        let headers = read(Self.tagged)
        #expect(headers.ethernet?.vlans == [7, 9])
        #expect(headers.transport == .icmp(type: 8, code: 0) && headers.payloadLength == 1)
    }

    @Test func takesNoFragmentForAHeader() {
        let headers = read(Self.fragment)
        #expect(headers.transport == nil && headers.ip?.fragmentOffset == 8 && headers.ip?.hasMoreFragments == true)
        #expect(headers.payloadLength == 8)
    }

    /// Ethernet pads frames of fewer than 60 bytes; a capture cuts long ones.
    @Test func knowsThePayloadOfPaddedAndCutPackets() {
        let padded = read(Self.tagged + Array(repeating: 0, count: 30))
        #expect(padded.payloadLength == 1 && padded.payload.count == 1)
        let whole =
            Self.ethernet + [8, 0] + Self.ipv4(17, [0, 1, 0, 2, 0, 108, 0, 0] + Array(repeating: 9, count: 100))
        let cut = read(Array(whole.prefix(60)), length: whole.count)
        #expect(cut.payloadLength == 100 && cut.payload == 42..<60)
    }

    @Test func saysNothingOfWhatItDoesNotKnow() {
        for bytes in [[], [1], Self.ethernet, Self.ethernet + [8, 6, 0, 1]] {
            let headers = read(bytes)
            #expect(headers.ip == nil && headers.transport == nil)
        }
        #expect(read([0x45, 0], .raw).ip == nil)
        #expect(read(Array(Self.tcp4.prefix(40))).transport == nil)
    }
}
