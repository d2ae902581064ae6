// SPDX-License-Identifier: Apache-2.0

import Foundation

@testable import Gateway
@testable import PacketPump

extension FuzzTarget {
    /// Packets of a sandbox as its gateway reads them, each with its length in two bytes ahead of it.
    static let gateway = FuzzTarget("gateway", seeds: gatewayPackets) { bytes in
        var (connections, datagrams) = (ConnectionTable(), DatagramTable())
        var reassembly = Reassembly()
        var rest = bytes[...]
        var now: Int64 = 0
        let room = UnsafeMutableRawPointer.allocate(byteCount: PacketLoop.room, alignment: 64)
        defer { room.deallocate() }
        while rest.count > 2 {
            let length = Int(rest[rest.startIndex]) << 8 | Int(rest[rest.startIndex + 1])
            let piece = Array(rest.dropFirst(2).prefix(length))
            rest = rest.dropFirst(2 + length)
            now += 100_000_000
            // In memory of just its size, so that a read beyond its end is found.
            let block = UnsafeMutableRawPointer.allocate(byteCount: VirtioHeader.size + piece.count, alignment: 16)
            defer { block.deallocate() }
            memset(block, 0, VirtioHeader.size)
            (block + VirtioHeader.size).copyMemory(from: piece, byteCount: piece.count)
            guard let packet = TransportPacket(block, count: VirtioHeader.size + piece.count) else { continue }
            if packet.layout.fragment != .none {
                let whole = reassembly.add(packet, now: now)
                require(whole == nil || whole.map { $0.count <= VirtioHeader.size + 40 + 65_535 } == true, "too long")
                require(reassembly.count <= 64, "\(reassembly.count) packets in pieces")
                continue
            }
            guard packet.layout.transport > 0 else { continue }
            require(
                Refusal.error(.init(type: 3, code: 1), about: packet, from: packet.ends.destination, to: room) <= 1_300,
                "a long error"
            )
            let (source, destination) = packet.ends
            switch packet.layout.kind {
            case .tcp:
                _ = Refusal.reset(packet, to: room)
                let ends = Ends(client: source, server: destination)
                switch connections.receive(piece, ends, packet.flags, now: now) {
                case .ask(let number): if now % 200_000_000 == 0 { _ = connections.serverHasAccepted(number, now: now) }
                case .forward(let number):
                    let isIPv4 = !packet.layout.isIPv6
                    let client = FarAddresses.client(number, isIPv4: isIPv4)
                    packet.replaceEnds(source: client, destination: FarAddresses.server(isIPv4: isIPv4, port: 9))
                    let rewritten = TransportPacket(block, count: VirtioHeader.size + piece.count)
                    require(rewritten?.ends.source == client, "\(packet.ends) after a rewrite")
                default: break
                }
            case .udp, .icmp:
                let (number, isNew) = datagrams.flow(
                    of: .init(end: source, isEcho: packet.layout.kind == .icmp),
                    now: now
                )
                require(isNew == (datagrams.flows[number]?.lastUse == now) || !isNew, "a flow that is not there")
                datagrams.wait(
                    .init(payload: piece, destination: destination, header: DatagramHeader(packet)),
                    for: number
                )
            default: break
            }
        }
    }

    /// A SYN, a datagram and its two pieces, over both versions of IP.
    private static let gatewayPackets: [[UInt8]] = [true, false].map { isIPv4 in
        let source =
            isIPv4
            ? FlowEndpoint(ipv4: 0x0A00_0264, port: 50_001) : FlowEndpoint(ipv6: 0xFD00 << 112 | 100, port: 50_001)
        let server =
            isIPv4 ? FlowEndpoint(ipv4: 0xC633_6407, port: 443) : FlowEndpoint(ipv6: 0x2001_0DB8 << 96 | 7, port: 443)
        let start = UnsafeMutableRawPointer.allocate(byteCount: PacketLoop.room, alignment: 64)
        let room = UnsafeMutableRawPointer.allocate(byteCount: PacketLoop.room, alignment: 64)
        defer { for each in [start, room] { each.deallocate() } }
        var result: [UInt8] = []
        func add(_ packet: UnsafeMutableRawPointer, _ count: Int) {
            let bytes = UnsafeRawBufferPointer(start: packet + VirtioHeader.size, count: count - VirtioHeader.size)
            result += [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + Array(bytes)
        }
        for (transport, length) in [(UInt8(6), 20), (17, 60), (17, 2000)] {
            let segment = NewPacket.begin(from: source, to: server, transport: transport, length: length, to: start)
            memset(segment, 0, length)
            segment.setWord(0, source.port)
            segment.setWord(2, server.port)
            if transport == 6 {
                segment.setByte(12, 5 << 4)
                segment.setByte(13, TCPFlags.syn.rawValue)
            } else {
                segment.setWord(4, UInt16(length))
            }
            let count = VirtioHeader.size + (isIPv4 ? 20 : 40) + length
            Fragmentation.forEachPiece(start, count: count, mtu: 1500, identification: 7, room: room) { add($0, $1) }
        }
        return result
    }
}
