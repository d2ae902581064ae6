// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import InternetAddresses
import Testing

@testable import Gateway
@testable import PacketPump

/// Packets that are rewritten or made: their checksums are checked as a receiver does.
@Suite struct PacketTests {
    private static let ends4 = (
        FlowEndpoint(ipv4: 0x0A00_0264, port: 50_001), FlowEndpoint(ipv4: 0xC633_6407, port: 443)
    )
    private static let ends6 = (
        FlowEndpoint(ipv6: 0xFD00 << 112 | 0x100, port: 50_001), FlowEndpoint(ipv6: 0x2001_0DB8 << 96 | 7, port: 443)
    )

    /// A packet after its virtio-net header, in memory of its own.
    private final class Bytes {
        let start = UnsafeMutableRawPointer.allocate(byteCount: PacketLoop.room, alignment: 16)
        var count = 0

        deinit { start.deallocate() }

        var packet: TransportPacket? { TransportPacket(start, count: count) }

        /// Whether the checksums are right, as they are on a wire.
        var isRight: Bool {
            guard let packet else { return false }
            let layout = packet.layout
            var isRight = true
            if !layout.isIPv6 {
                var sum = Checksum()
                sum.add(packet.bytes, Int(layout.transport))
                isRight = sum.complement == 0
            }
            let length = layout.end - Int(layout.transport)
            var sum = Checksum()
            sum.add(packet.bytes + Int(layout.transport), length)
            if layout.kind != .icmp || layout.isIPv6 {
                sum.add(packet.bytes + layout.addresses, 2 * layout.addressLength)
                sum.add(UInt16(layout.transportProtocol))
                sum.add(UInt16(length))
            }
            return isRight && sum.complement == 0
        }
    }

    /// A segment of TCP with payload; its checksum left to the device if `isPartial`.
    private func segment(_ ends: (FlowEndpoint, FlowEndpoint), flags: TCPFlags = .syn, isPartial: Bool = false) -> Bytes
    {
        let bytes = Bytes()
        let payload = 33
        let length = 20 + payload
        let segment = NewPacket.begin(from: ends.0, to: ends.1, transport: 6, length: length, to: bytes.start)
        segment.setWord(0, ends.0.port)
        segment.setWord(2, ends.1.port)
        segment.setLong(4, 0xFFFF_FFF0)
        segment.setLong(8, 77)
        segment.setByte(12, 5 << 4)
        segment.setByte(13, flags.rawValue)
        for index in 0..<payload { segment.setByte(20 + index, UInt8(index * 7 & 0xFF)) }
        NewPacket.complete(segment, checksumAt: 16, isIPv6: !ends.0.isIPv4, length: length, transport: 6)
        bytes.count = VirtioHeader.size + (ends.0.isIPv4 ? 20 : 40) + length
        if isPartial { makePartial(bytes) }
        return bytes
    }

    /// Options of TCP, with the flags of a segment, and what that asks for.
    @Test(arguments: requests) func tellWhatTheyAskForOfMultipathTCP(
        options: [UInt8],
        flags: TCPFlags,
        request: MultipathRequest?
    ) throws {
        for ends in [Self.ends4, Self.ends6] {
            let bytes = segment(ends, flags: flags)
            let packet = try #require(bytes.packet)
            let header = packet.bytes + Int(packet.layout.transport)
            header.setByte(12, UInt8(5 + options.count / 4) << 4)
            for (index, option) in options.enumerated() { header.setByte(20 + index, option) }
            #expect(try #require(bytes.packet).multipathRequest == request)
        }
    }

    private static let requests: [(options: [UInt8], flags: TCPFlags, request: MultipathRequest?)] = [
        ([30, 12, 0x10, 1, 0, 0, 0, 9, 0, 0, 0, 8], .syn, .join),
        ([30, 12, 0x10, 1, 0, 0, 0, 9, 0, 0, 0, 8], [.syn, .ack], nil),
        ([2, 4, 5, 0xB4, 1, 1, 30, 12, 0x11, 1, 0, 0, 0, 9, 0, 0, 0, 8, 0, 0], .syn, .join),
        // A new connection (MP_CAPABLE), no option, one behind the end, and some that are cut.
        ([30, 4, 0x01, 0x01], .syn, .connection), ([1, 1, 1, 1], .syn, nil),
        ([0, 1, 1, 1, 30, 12, 0x10, 1], .syn, nil),
        ([2, 0, 30, 12], .syn, nil), ([1, 1, 1, 30], .syn, nil), ([2, 255, 1, 1], .syn, nil),
    ]

    /// What a sender leaves for its device: the sum of the pseudo-header.
    private func makePartial(_ bytes: Bytes) {
        guard let packet = bytes.packet else { return }
        let layout = packet.layout
        var header = VirtioHeader()
        (header.flags, header.checksumStart, header.checksumOffset) = (VirtioHeader.needsChecksum, layout.transport, 16)
        bytes.start.storeBytes(of: header, as: VirtioHeader.self)
        let length = layout.end - Int(layout.transport)
        let addresses = UnsafeRawPointer(packet.bytes) + layout.addresses
        let sum = Checksum.pseudoHeader(addresses, 2 * layout.addressLength, transport: 6, length: length)
        packet.bytes.setWord(Int(layout.transport) + 16, sum)
    }

    /// What the device does with it.
    private func completePartial(_ bytes: Bytes) {
        guard let packet = bytes.packet else { return }
        let start = packet.bytes + Int(packet.layout.transport)
        var sum = Checksum()
        sum.add(start, packet.layout.end - Int(packet.layout.transport))
        start.setWord(16, sum.complement)
    }

    @Test(arguments: [true, false], [true, false])
    func replacesEndsAndKeepsChecksums(isIPv4: Bool, isPartial: Bool) throws {
        for number in [0, 1, 40_000, FarAddresses.count - 1] {
            let bytes = segment(isIPv4 ? Self.ends4 : Self.ends6, isPartial: isPartial)
            let ends = (
                FarAddresses.client(number, isIPv4: isIPv4), FarAddresses.server(isIPv4: isIPv4, port: 40_000)
            )
            try #require(bytes.packet).replaceEnds(source: ends.0, destination: ends.1)
            if isPartial { completePartial(bytes) }
            let packet = try #require(bytes.packet)
            #expect(packet.ends.source == ends.0 && packet.ends.destination == ends.1)
            #expect(bytes.isRight, "\(number)")
        }
    }

    /// They would be taken for packets of the other version.
    @Test func areNotReadWithAnAddressThatStandsForIPv4() {
        let other = Self.ends6.0
        for ends in [(Self.ends4.0, other), (other, Self.ends4.1)] {
            let bytes = segment(Self.ends6)
            let place = bytes.start + VirtioHeader.size
            for (end, offset) in [(ends.0, 8), (ends.1, 24)] {
                (place + offset).storeBytes(of: end.address.bigEndian, as: UInt128.self)
            }
            #expect(bytes.packet == nil)
        }
    }

    @Test(arguments: [true, false], [TCPFlags.syn, .ack, [.fin, .ack]])
    func resetsAsAHostWithoutAListener(isIPv4: Bool, flags: TCPFlags) throws {
        let question = segment(isIPv4 ? Self.ends4 : Self.ends6, flags: flags)
        let answer = Bytes()
        answer.count = Refusal.reset(try #require(question.packet), to: answer.start)
        let packet = try #require(answer.packet)
        let asked = try #require(question.packet).ends
        #expect(packet.ends.source == asked.destination && packet.ends.destination == asked.source)
        #expect(answer.isRight && packet.flags.contains(.rst))
        let header = UnsafeRawPointer(packet.bytes) + Int(packet.layout.transport)
        if flags.contains(.ack) {
            #expect(header.long(4) == 77 && !packet.flags.contains(.ack))
        } else {
            // Beyond the payload and SYN, past the end of the numbers.
            #expect(header.long(8) == 0xFFFF_FFF0 &+ 34 && packet.flags.contains(.ack))
        }
    }

    @Test(arguments: [true, false])
    func quotesThePacketThatAnErrorIsAbout(isIPv4: Bool) throws {
        let question = segment(isIPv4 ? Self.ends4 : Self.ends6)
        let about = try #require(question.packet)
        let answer = Bytes()
        let message = Refusal.Message(type: isIPv4 ? 3 : 1, code: 1)
        let router = FlowEndpoint(try #require(IPAddress(isIPv4 ? "192.0.2.254" : "2001:db8::fe")), port: 0)
        answer.count = Refusal.error(message, about: about, from: router, to: answer.start)
        let packet = try #require(answer.packet)
        #expect(answer.isRight && packet.layout.kind == .icmp && packet.layout.messageType == message.type)
        #expect(packet.ends.source.address == router.address)
        let quoted = FrameLayout(
            packet: UnsafeRawBufferPointer(
                start: packet.bytes + Int(packet.layout.payload),
                count: packet.layout.end - Int(packet.layout.payload)
            )
        )
        #expect(quoted.kind == .tcp && quoted.sourcePort == 50_001 && quoted.destinationPort == 443)
    }

    @Test func takesNoPacketThatIsCutOff() throws {
        let bytes = segment(Self.ends4)
        let whole = bytes.count
        for count in 0..<whole {
            bytes.count = count
            #expect(bytes.packet == nil, "\(count)")
        }
    }
}
