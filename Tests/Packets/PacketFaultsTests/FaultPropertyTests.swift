// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import TestKit
import Testing

@testable import PacketFaults

/// What holds for every packet, whatever it holds.
@Suite struct FaultPropertyTests {
    static let actions = [
        #""lose""#, #""lose silently from here""#, #""reset""#, #""close""#, #""half close""#, #""stall""#,
        #"{"refuse": "reset"}"#, #"{"refuse": "port"}"#, #"{"answer": "NXDOMAIN"}"#, #"{"answer": "192.0.2.9"}"#,
        #"{"answer": {"after": "1 s"}}"#, #"{"portal": "http://portal.test/"}"#,
    ]

    private static let sound: [(bytes: [UInt8], direction: Direction)] = [
        WirePacket.opening(), .acceptance(), .data(WirePacket.clientHello("a.test")), .query("a.test"),
        .data([UInt8](repeating: 1, count: 1_400)) { ($0.isIPv6, $0.isFromServer) = (true, true) },
        .data([]) { $0.flags = 17 }, WirePacket(kind: .icmp, isIPv6: true),
        .query("a.test", type: 28) { $0.isIPv6 = true },
    ].map { ($0.bytes, $0.direction) }

    @Test(arguments: actions)
    func makesFewAndSoundPacketsOfAny(action: String) throws {
        let faults = try TestedFaults("{\"match\": {}, \"do\": \(action)}", connections: 128)
        var inputs = FuzzedInputs(Self.sound.map(\.bytes), seed: 5)
        for index in 0..<FuzzedInputs.count {
            let bytes = inputs.next()
            let direction: Direction = index % 2 == 0 ? .uplink : .downlink
            let decision = faults.decide(bytes, direction, at: Int64(index) * 1_000_000)
            #expect(decision.made.count <= PacketFaults.maximumMade)
            #expect(decision.made.isEmpty || decision.loss != nil)
            for packet in decision.made where packet.delay == 0 {
                // RFC 1812 and RFC 4443 bound errors; a portal's answer is one packet.
                #expect(packet.bytes.count <= 1_280)
                #expect(ReadPacket(packet.bytes).isSound, "\(packet.bytes)")
            }
            #expect(faults.connectionCount <= 128)
        }
    }

    @Test func decidesTheSameAgain() throws {
        let text = """
            {"match": {"probability": "20 %", "protocol": "tcp"}, "do": "reset"},
            {"match": {"packet": "every 3"}, "do": "lose"}
            """
        func decisions() throws -> [FaultDecision] {
            let faults = try TestedFaults(text, seed: 9)
            var inputs = FuzzedInputs(Self.sound.map(\.bytes), seed: 6)
            return (0..<2_000).map { faults.decide(inputs.next(), $0 % 2 == 0 ? .uplink : .downlink, at: Int64($0)) }
        }
        let first = try decisions()
        for _ in 0..<3 { #expect(try decisions() == first) }
    }

    /// Conversations of a few clients with a few servers: what is left alone would have passed, and so does what
    /// follows.
    @Test func leavesAloneOnlyWhatPasses() throws {
        let text = """
            {"match": {"packet": "tls hello a.test"}, "do": "stall"},
            {"match": {"packet": "first 2", "port": 81, "probability": "50 %"}, "do": "lose"},
            {"match": {"packet": "nth 3", "port": 82}, "do": "reset"},
            {"match": {"packet": "syn", "connection": "nth 2", "port": 80}, "do": {"refuse": "reset"}},
            {"match": {"packet": "quic initial"}, "do": "lose"},
            {"match": {"dns": "a.test"}, "do": {"answer": "NXDOMAIN"}},
            {"match": {"after": "400 bytes", "port": 83}, "do": "half close"}
            """
        let (eager, whole) = (try TestedFaults(text, seed: 3), try TestedFaults(text, seed: 3))
        var random = SeededGenerator(seed: 11)
        var count = (alone: 0, decided: 0, lost: 0)
        for index in 0..<20_000 {
            var packet = WirePacket(
                kind: random.pick([.tcp, .tcp, .tcp, .udp]),
                client: (1, 40_000 + random.pick([0, 1, 2, 3])),
                server: (2, random.pick([53, 80, 81, 82, 83, 443])),
                isFromServer: random.pick([true, false]),
                payload: random.pick([
                    [], [UInt8](repeating: 1, count: 100), WirePacket.clientHello("a.test"),
                    WirePacket.clientHello("b.test"), [0, 29] + WirePacket.dnsQuery("a.test"),
                    WirePacket.dnsQuery("a.test"), [0xC0, 0, 0, 0, 1],
                ])
            )
            if random.isOne(in: 40) {
                (packet.kind, packet.isFromServer, packet.flags, packet.payload) = (.tcp, false, 2, [])
                packet.sequence = index
            }
            let (bytes, direction, now) = (packet.bytes, packet.direction, Int64(index) * 1_000_000)
            let decision = whole.decide(bytes, direction, at: now)
            if eager.recordSettled(Array(bytes.prefix(128)), direction, at: now) {
                try #require(decision == .pass, "packet \(index): \(packet)")
                count.alone += 1
            } else {
                try #require(eager.decide(bytes, direction, at: now) == decision, "packet \(index): \(packet)")
                count.decided += 1
                count.lost += decision.loss == nil ? 0 : 1
            }
        }
        #expect(count.alone > 1_000 && count.decided > 1_000 && count.lost > 100, "\(count)")
    }

    @Test func readsQueriesOfAnyBytes() throws {
        let query = WirePacket.dnsQuery("api.test")
        var inputs = FuzzedInputs([query, query + [0, 0, 41, 16, 0, 0, 0, 0, 0, 0, 0]], seed: 7)
        let faults = try TestedFaults(#"{"match": {"dns": "*"}, "do": {"answer": "192.0.2.9"}}"#)
        for index in 0..<FuzzedInputs.count {
            let message = Array(inputs.next().prefix(1_000))
            let packet = WirePacket(kind: .udp, client: (1, 1_024 + index % 60_000), server: (2, 53), payload: message)
            for answer in faults.decide(packet).back {
                #expect(answer.isSound && answer.datagram.count <= message.count + 16)
            }
        }
    }
}
