// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import PacketFaults

extension FuzzTarget {
    /// Packets of one direction after the other, each with its length in two bytes ahead of it.
    static let faults = FuzzTarget("faults", seeds: [frame(query) + frame(opening), frame(opening) + frame(hello)]) {
        bytes in
        for action in ["\"reset\"", "\"close\"", "\"stall\"", "{\"portal\": \"http://a.test/\"}"] {
            guard var faults = decisions(action) else { return require(false, "no faults") }
            var rest = bytes[...]
            var time: Int64 = 0
            while rest.count > 2 {
                let length = Int(rest[rest.startIndex]) << 8 | Int(rest[rest.startIndex + 1])
                let packet = Array(rest.dropFirst(2).prefix(length))
                rest = rest.dropFirst(2 + length)
                time += 1_000_000_000
                let decision = faults.decide(packet, time % 2_000_000_000 == 0 ? .uplink : .downlink, at: time)
                require(decision.made.count <= PacketFaults.maximumMade, "\(decision.made.count) packets made")
                for made in decision.made {
                    let limit = made.delay > 0 ? packet.count : 1_280
                    require(made.bytes.count <= limit, "a packet of \(made.bytes.count) bytes made of \(packet.count)")
                }
            }
            require(faults.connectionCount <= 64, "\(faults.connectionCount) connections")
        }
    }

    private static func decisions(_ action: String) -> PacketFaults? {
        let text = """
            {"name": "a", "faults": [
                {"match": {"dns": "*.test", "type": "A"}, "do": {"answer": "192.0.2.1"}},
                {"match": {"dns": "*", "probability": "50 %"}, "do": {"answer": {"after": "1 s"}}},
                {"match": {"packet": "tls hello *.test"}, "do": "half close"},
                {"match": {"packet": "quic initial"}, "do": {"refuse": "port"}},
                {"match": {"larger": "1280 bytes"}, "do": {"refuse": "packet too big"}},
                {"match": {"packet": "every 3"}, "do": "lose silently from here"},
                {"match": {"after": "5 s"}, "do": \(action)}
            ]}
            """
        return (try? Profile(utf8: text.utf8)).flatMap { PacketFaults($0.faults, seed: 1, connections: 64) }
    }

    private static func frame(_ packet: [UInt8]) -> [UInt8] {
        [UInt8(truncatingIfNeeded: packet.count >> 8), UInt8(truncatingIfNeeded: packet.count)] + packet
    }

    private static let addresses: [UInt8] = [192, 0, 2, 1, 192, 0, 2, 2]

    private static func packet(_ transport: UInt8, _ body: [UInt8]) -> [UInt8] {
        [0x45, 0, 0, UInt8(20 + body.count), 0, 1, 0x40, 0, 64, transport, 0, 0] + addresses + body
    }

    private static let query = packet(
        17,
        [0x9C, 0x40, 0, 53, 0, 32, 0, 0, 0, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0x61, 4] + Array("test".utf8)
            + [0, 0, 1, 0, 1]
    )
    private static let opening = packet(6, [0x9C, 0x40, 0, 80, 0, 0, 0, 1, 0, 0, 0, 0, 0x50, 2, 1, 0, 0, 0, 0, 0])
    private static let hello = packet(
        6,
        [0x9C, 0x40, 0, 80, 0, 0, 0, 2, 0, 0, 0, 1, 0x50, 24, 1, 0, 0, 0, 0, 0, 22, 3, 1, 0, 4, 1, 0, 0, 0]
    )
}
