// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Gateway
@testable import PacketPump

/// Datagrams that are cut, and put together again.
@Suite struct FragmentTests {
    private static let ends = (
        ipv4: (FlowEndpoint(ipv4: 0x0A00_0264, port: 50_001), FlowEndpoint(ipv4: 0xC633_6407, port: 443)),
        ipv6: (
            FlowEndpoint(ipv6: 0xFD00 << 112 | 0x100, port: 50_001),
            FlowEndpoint(ipv6: 0x2001_0DB8 << 96 | 7, port: 443)
        )
    )

    /// A datagram with a virtio-net header.
    private func datagram(isIPv4: Bool, payload: Int) -> [UInt8] {
        let (source, destination) = isIPv4 ? Self.ends.ipv4 : Self.ends.ipv6
        let length = 8 + payload
        var bytes = [UInt8](repeating: 0, count: PacketLoop.room)
        bytes.withUnsafeMutableBytes { room in
            guard let start = room.baseAddress else { return }
            let segment = NewPacket.begin(from: source, to: destination, transport: 17, length: length, to: start)
            segment.setWord(0, source.port)
            segment.setWord(2, destination.port)
            segment.setWord(4, UInt16(length))
            for index in 0..<payload { segment.setByte(8 + index, UInt8(index % 251)) }
            NewPacket.complete(segment, checksumAt: 6, isIPv6: !isIPv4, length: length, transport: 17)
        }
        return Array(bytes.prefix(VirtioHeader.size + (isIPv4 ? 20 : 40) + length))
    }

    private func pieces(_ datagram: [UInt8], mtu: Int, identification: UInt32 = 7) -> [[UInt8]] {
        var (bytes, room) = (datagram, [UInt8](repeating: 0xEE, count: PacketLoop.room))
        var result: [[UInt8]] = []
        bytes.withUnsafeMutableBytes { bytes in
            room.withUnsafeMutableBytes { room in
                guard let start = bytes.baseAddress, let space = room.baseAddress else { return }
                Fragmentation.forEachPiece(
                    start,
                    count: bytes.count,
                    mtu: mtu,
                    identification: identification,
                    room: space
                ) { result.append(Array(UnsafeRawBufferPointer(start: $0, count: $1))) }
            }
        }
        return result
    }

    private func add(_ piece: [UInt8], to reassembly: inout Reassembly, now: Int64 = 0) -> [UInt8]? {
        var piece = piece
        return piece.withUnsafeMutableBytes { bytes in
            guard let start = bytes.baseAddress, let packet = TransportPacket(start, count: bytes.count) else {
                return nil
            }
            return reassembly.add(packet, now: now)
        }
    }

    /// The payload after both headers.
    private func payload(_ packet: [UInt8], isIPv4: Bool) -> [UInt8] {
        Array(packet.dropFirst(VirtioHeader.size + (isIPv4 ? 20 : 40)))
    }

    @Test(arguments: [true, false], [1473, 3000, 8000, 65_487])
    func arriveWholeInAnyOrder(isIPv4: Bool, size: Int) throws {
        let whole = datagram(isIPv4: isIPv4, payload: size)
        for mtu in [1280, 1500] {
            let cut = pieces(whole, mtu: mtu)
            #expect(cut.count > 1 && cut.allSatisfy { $0.count <= mtu + VirtioHeader.size })
            for order in [cut, cut.reversed(), cut.shuffled()] {
                var reassembly = Reassembly()
                var result: [UInt8]?
                for piece in order {
                    #expect(result == nil)
                    result = add(piece, to: &reassembly)
                }
                let joined = try #require(result)
                #expect(payload(joined, isIPv4: isIPv4) == payload(whole, isIPv4: isIPv4))
                var copy = joined
                let ends = copy.withUnsafeMutableBytes { bytes in
                    bytes.baseAddress.flatMap { TransportPacket($0, count: bytes.count) }?.ends
                }
                #expect(ends?.source == (isIPv4 ? Self.ends.ipv4.0 : Self.ends.ipv6.0))
                #expect(reassembly.count == 0)
            }
        }
    }

    @Test func staysWholeIfItFits() {
        let whole = datagram(isIPv4: true, payload: 1472)
        #expect(pieces(whole, mtu: 1500) == [whole])
    }

    @Test(arguments: [true, false])
    func neverArriveWithoutAPieceOrWithOneTwice(isIPv4: Bool) {
        let cut = pieces(datagram(isIPv4: isIPv4, payload: 4000), mtu: 1500)
        for missing in cut.indices {
            var reassembly = Reassembly()
            for index in cut.indices where index != missing { #expect(add(cut[index], to: &reassembly) == nil) }
        }
        // Overlaps are an attack, or a mistake: the packet is lost.
        var reassembly = Reassembly()
        var joined: [UInt8]?
        for piece in [cut[0]] + cut { joined = add(piece, to: &reassembly) ?? joined }
        #expect(joined == nil)
    }

    @Test func oldAndManyOnesAreForgotten() {
        var reassembly = Reassembly()
        for number in 0..<1000 {
            let first = pieces(datagram(isIPv4: true, payload: 3000), mtu: 1500, identification: UInt32(number))[0]
            _ = add(first, to: &reassembly, now: Int64(number))
        }
        #expect(reassembly.count == 64)
        let cut = pieces(datagram(isIPv4: false, payload: 2000), mtu: 1500, identification: 5000)
        #expect(add(cut[0], to: &reassembly, now: 2000) == nil)
        #expect(add(cut[1], to: &reassembly, now: 2000 + 31_000_000_000) == nil)
    }
}
