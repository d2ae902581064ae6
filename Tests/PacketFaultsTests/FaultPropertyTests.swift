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
            #expect(decision.made.count <= PacketFaults.mostMade)
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
