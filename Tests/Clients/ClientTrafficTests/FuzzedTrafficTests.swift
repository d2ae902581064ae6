// SPDX-License-Identifier: Apache-2.0

import CapturedPackets
import TestKit
import Testing

@testable import ClientTraffic
@testable import TestPackets

/// Captures of any bytes, and sound ones with wrong bytes in them.
@Suite struct FuzzedTrafficTests {
    /// Packets of every protocol that is read.
    private static let sound: [[UInt8]] = {
        let get = Array("GET /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n".utf8)
        let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabcdeHTTP/1.1 204 No\r\n\r\n".utf8)
        let query: [UInt8] = [0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 97, 0, 0, 1, 0, 1]
        let found = query.replacing([0, 1, 1, 0, 0, 1, 0, 0], with: [0, 1, 0x81, 0x80, 0, 1, 0, 1])
        let record: [UInt8] = [0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 9, 0, 4, 192, 0, 2, 7]
        let hello =
            [22, 3, 1, 0, 59, 1, 0, 0, 55, 3, 3] + [UInt8](repeating: 7, count: 32)
            + [0, 0, 2, 0x13, 1, 1, 0, 0, 12, 0, 0, 0, 8, 0, 6, 0, 0, 3, 97, 46, 98]
        let finished = [23, 3, 3, 0, 40] + [UInt8](repeating: 9, count: 40)
        let serverHello =
            [22, 3, 3, 0, 50, 2, 0, 0, 46, 3, 3] + [UInt8](repeating: 8, count: 32)
            + [0, 0x13, 1, 0, 0, 6, 0, 43, 0, 2, 3, 4]
        var packets: [[UInt8]] = []
        func add(
            _ flags: TCPHeader.Flags?,
            _ isFromClient: Bool,
            _ port: UInt16,
            _ sequence: UInt32,
            _ payload: [UInt8]
        ) {
            packets.append(
                TestPacket(
                    isFromClient: isFromClient,
                    isIPv6: port == 443,
                    serverPort: port,
                    flags: flags,
                    sequence: sequence,
                    acknowledgment: 1,
                    payload: payload
                ).bytes
            )
        }
        for port in [80, 443, 53] as [UInt16] {
            add(.syn, true, port, .max, [])
            add(.answer, false, port, .max, [])
            add(.end, true, port, 5000, [])
            add([.reset], false, port, 5000, [])
        }
        for part in 0..<3 { add(.data, true, 80, UInt32(part * 20), Array(get.dropFirst(part * 20).prefix(30))) }
        add(.data, false, 80, 0, answer)
        add(.data, true, 443, 0, hello)
        add(.data, true, 443, UInt32(hello.count), finished)
        add(.data, false, 443, 0, serverHello)
        add(.data, true, 53, 0, TestPacket.word(query.count) + query)
        add(.data, false, 53, 0, TestPacket.word(found.count + record.count) + found + record)
        add(nil, true, 53, 0, query)
        add(nil, false, 53, 0, found + record)
        add(nil, true, 443, 0, [0xC3, 0, 0, 0, 1, 2, 7, 7, 0])
        return packets
    }()

    private static let comments = [
        "lane=uplink fate=passed due=20.000000ms delay=20.100000ms", "lane=downlink fate=passed due=1.0ms delay=1ms",
        "lane=downlink fate=dropped reason=queue due=99999999999.000000ms", "lane=dns fate=unknown", "fate=passed",
        "lane=downlink fate=duplicate due=0.000000ms delay=-99999999999.000000ms packets=9223372036854775807",
        "lane=uplink fate=corrupted due=0.000000ms delay=0.000000ms packets=-4",
    ]

    @Test(arguments: [1, 2] as [UInt64])
    func saysNoMoreThanTheCaptureHolds(seed: UInt64) {
        var inputs = FuzzedInputs(Self.sound, seed: seed)
        var generator = SeededGenerator(seed: seed)
        var (seen, requests, queries, secured) = (0, 0, 0, 0)
        var reader = TrafficReader()
        for number in 1...FuzzedInputs.count {
            // Many captures of 100 packets.
            if number % 100 == 1 {
                reader = TrafficReader()
                reader.add(.interface(CapturedInterface("lo", .raw)))
            }
            let isSound = generator.isOne(in: 2)
            let bytes = isSound ? generator.pick(Self.sound) : inputs.next()
            let times = [Int64(number), Int64(number) * 1_000_000, .max, .min]
            var packet = CapturedPacket(
                interface: generator.isOne(in: 50) ? 7 : 0,
                time: generator.pick(times),
                bytes: bytes
            )
            packet.length = bytes.count + (generator.isOne(in: 4) ? Int.random(in: 0...70_000, using: &generator) : 0)
            packet.comments = generator.isOne(in: 3) ? [generator.pick(Self.comments)] : []
            packet.lostBefore = generator.isOne(in: 9) ? .max : nil
            reader.add(.packet(packet))
            guard number % 100 == 0 else { continue }
            let traffic = reader.read()
            seen += traffic.connections.count
            requests += traffic.connections.reduce(0) { $0 + $1.requests.count }
            secured += traffic.connections.count { $0.secured != nil }
            queries += traffic.nameQueries.count
            if traffic.link.packets != 100 || traffic.connections.count > 100 { Issue.record("\(traffic)") }
        }
        #expect(seen > FuzzedInputs.count / 100 && requests > 0 && queries > 0 && secured > 0)
    }

    /// Heads, chunks, records and messages are found in any bytes or given up.
    @Test(arguments: [3, 4] as [UInt64])
    func readsAnyStream(seed: UInt64) {
        let streams = Self.sound.map { Array($0.dropFirst(40)) }
        var inputs = FuzzedInputs(streams, seed: seed)
        var generator = SeededGenerator(seed: seed)
        var requests = 0
        for _ in 0..<FuzzedInputs.count / 10 {
            var capture = TestCapture()
            capture.template.serverPort = generator.pick([80, 443, 53])
            if generator.isOne(in: 3) { capture.snap = Int.random(in: 40...120, using: &generator) }
            var next: (client: UInt32, server: UInt32) = (1, 1)
            for time in 0..<10 {
                let bytes = inputs.next()
                if generator.isOne(in: 2) {
                    capture.client(.data, next.client, ack: 1, bytes, at: time)
                    next.client += UInt32(bytes.count)
                } else {
                    capture.server(.data, next.server, ack: 1, bytes, at: time)
                    next.server += UInt32(bytes.count)
                }
            }
            requests += capture.traffic.connections.reduce(0) { $0 + $1.requests.count }
        }
        #expect(requests > 0)
    }
}
