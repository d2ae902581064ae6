// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Testing

@testable import PacketFaults

/// Which packets a fault happens to.
@Suite struct FaultMatchTests {
    /// Whether a fault with this match loses each of the packets, one after the other.
    private func losses(_ match: String, _ packets: [WirePacket], at times: [Int64] = []) throws -> [Bool] {
        let faults = try TestedFaults("{\"match\": \(match), \"do\": \"lose\"}")
        return packets.enumerated().map { faults.loses($1, at: times.isEmpty ? 0 : times[$0]) }
    }

    private static let udp = WirePacket(kind: .udp, payload: [1])

    @Test func anEmptyMatchIsEveryPacket() throws {
        let packets = [WirePacket.opening(), Self.udp, WirePacket(kind: .icmp), WirePacket(kind: .udp, isIPv6: true)]
        #expect(try losses("{}", packets) == [true, true, true, true])
    }

    @Test func theRemoteEndIsTheServersInBothDirections() throws {
        let packets = [WirePacket.opening(), .acceptance(), .opening { $0.server.address = 3 }]
        #expect(try losses(#"{"to": "192.0.2.2"}"#, packets) == [true, true, false])
        #expect(try losses(#"{"to": "192.0.2.1"}"#, packets) == [false, false, false])
        #expect(try losses(#"{"to": ["10.0.0.0/8", "192.0.2.0/30"]}"#, packets) == [true, true, true])
        let six = [WirePacket.opening { $0.isIPv6 = true }]
        #expect(try losses(#"{"to": "fd00::/16"}"#, six) == [true])
        #expect(try losses(#"{"to": "192.0.2.2"}"#, six) == [false])
    }

    @Test func aPortIsThatOfEitherEnd() throws {
        let packets = [WirePacket.opening(), .acceptance(), .opening { $0.server.port = 80 }, WirePacket(kind: .icmp)]
        #expect(try losses(#"{"port": 443}"#, packets) == [true, true, false, false])
        #expect(try losses(#"{"port": [80, 40000]}"#, packets) == [true, true, true, false])
    }

    @Test func protocolAndVersionTellPacketsApart() throws {
        let packets = [WirePacket.opening(), Self.udp, WirePacket(kind: .icmp), .opening { $0.isIPv6 = true }]
        #expect(try losses(#"{"protocol": "tcp"}"#, packets) == [true, false, false, true])
        #expect(try losses(#"{"protocol": ["udp", "icmp"]}"#, packets) == [false, true, true, false])
        #expect(try losses(#"{"version": 6}"#, packets) == [false, false, false, true])
    }

    @Test func whatIsExcludedPasses() throws {
        let packets = [Self.udp, .query("a.test"), .opening()]
        #expect(try losses(#"{"protocol": "udp", "exclude": {"port": 53}}"#, packets) == [true, false, false])
        #expect(try losses(#"{"exclude": {"protocol": "udp", "port": 443}}"#, packets) == [false, false, false])
    }

    @Test func aSynIsTheFirstOfAConnectionAndNotItsAnswer() throws {
        #expect(
            try losses(#"{"packet": "syn"}"#, [.opening(), .acceptance(), .data([1]), .opening()])
                == [true, false, false, true]
        )
    }

    @Test func anInitialOfQUICIsKnownByItsLongHeader() throws {
        let initial: [UInt8] = [0xC3, 0, 0, 0, 1, 4, 1, 2, 3, 4, 0] + [UInt8](repeating: 0, count: 1_180)
        let short: [UInt8] = [0x43, 1, 2, 3, 4] + [UInt8](repeating: 0, count: 100)
        let packets = [initial, short, []].map { WirePacket(kind: .udp, payload: $0) }
        #expect(try losses(#"{"packet": "quic initial"}"#, packets) == [true, false, false])
    }

    @Test func aClientHelloIsKnownByItsName() throws {
        let hello = WirePacket.data(WirePacket.clientHello("api.test"))
        let other = WirePacket.data(WirePacket.clientHello("api.example")) { $0.client.port = 40_002 }
        #expect(try losses(#"{"packet": "tls hello api.test"}"#, [hello, other]) == [true, false])
        #expect(try losses(#"{"packet": "tls hello *.test"}"#, [hello, other]) == [true, false])
        #expect(try losses(#"{"packet": "tls hello *"}"#, [hello, other]) == [true, true])
        #expect(try losses(#"{"packet": "tls hello *.api.test"}"#, [hello, other]) == [false, false])
    }

    @Test func aClientHelloInTwoSegmentsIsTheSecond() throws {
        let hello = WirePacket.clientHello("api.test")
        let packets = [
            WirePacket.opening(), .data(Array(hello.prefix(40))),
            .data(Array(hello.dropFirst(40))) { $0.sequence = 1_040 },
        ]
        #expect(try losses(#"{"packet": "tls hello api.test"}"#, packets) == [false, false, true])
        // Sent again, it is the same bytes once more.
        let again = [packets[1], packets[1], packets[2]]
        #expect(try losses(#"{"packet": "tls hello api.test"}"#, again) == [false, false, true])
    }

    @Test func placesAreCountedInEachConnectionOfWhatTheRestMatches() throws {
        let one = WirePacket.data([1])
        let other = WirePacket.data([1]) { $0.client.port = 40_002 }
        let answer = WirePacket.data([1]) { $0.isFromServer = true }
        #expect(
            try losses(#"{"packet": "nth 2"}"#, [one, other, one, other, one]) == [false, false, true, true, false]
        )
        #expect(try losses(#"{"packet": "first 1"}"#, [one, one, other]) == [true, false, true])
        #expect(
            try losses(#"{"packet": "every 2"}"#, [one, one, one, one]) == [false, true, false, true]
        )
        #expect(
            try losses(#"{"packet": "nth 2", "lane": "uplink"}"#, [one, answer, one]) == [false, false, true]
        )
    }

    @Test func connectionsAreCountedByTheirSYNs() throws {
        let first = WirePacket.opening()
        let second = WirePacket.opening { $0.client.port = 40_002 }
        let third = WirePacket.opening { $0.sequence = 77 }
        let packets = [first, first, second, third]
        #expect(try losses(#"{"connection": "nth 2"}"#, packets) == [false, false, true, false])
        #expect(try losses(#"{"connection": "first 2"}"#, packets) == [true, true, true, false])
        #expect(try losses(#"{"connection": "after the first"}"#, packets) == [false, false, true, true])
    }

    @Test func connectionsToOthersAreNotCounted() throws {
        let packets = [WirePacket.opening { $0.server.port = 80 }, .opening { $0.client.port = 40_002 }]
        #expect(try losses(#"{"port": 443, "connection": "first 1"}"#, packets) == [false, true])
    }

    @Test func bytesOfBothEndsAreCounted() throws {
        let packets = [
            WirePacket.data([UInt8](repeating: 0, count: 600)),
            .data([UInt8](repeating: 0, count: 400)) { $0.isFromServer = true }, .data([1]),
        ]
        #expect(try losses(#"{"after": "1000 bytes"}"#, packets) == [false, false, true])
        #expect(try losses(#"{"after": "1001 bytes"}"#, packets) == [false, false, false])
    }

    @Test func aConnectionsAgeCountsFromItsFirstPacket() throws {
        let packets = [WirePacket.opening(), .data([1]), .data([2])]
        let times: [Int64] = [7_000_000_000, 11_999_999_999, 12_000_000_000]
        #expect(try losses(#"{"after": "5 s"}"#, packets, at: times) == [false, false, true])
    }

    @Test func queriesAreKnownByNameAndType() throws {
        let packets = [
            WirePacket.query("api.test"), .query("API.Test", type: 28), .query("x.api.test"), .query("api.test.org"),
        ].enumerated().map { index, packet in
            var packet = packet
            packet.client.port += index
            return packet
        }
        #expect(try losses(#"{"dns": "api.test"}"#, packets) == [true, true, false, false])
        #expect(try losses(#"{"dns": "*.test"}"#, packets) == [true, true, true, false])
        #expect(try losses(#"{"dns": "api.test", "type": "AAAA"}"#, packets) == [false, true, false, false])
        #expect(try losses(#"{"type": "A"}"#, packets) == [true, false, true, true])
    }

    @Test func queriesOverTCPAreKnown() throws {
        let message = WirePacket.dnsQuery("api.test")
        let packet = WirePacket.data(big(message.count, 2) + message) { $0.server.port = 53 }
        #expect(try losses(#"{"dns": "api.test"}"#, [packet]) == [true])
    }

    @Test func lengthsAreThoseOfIP() throws {
        let packets = [1_240, 1_241].map { WirePacket.data([UInt8](repeating: 0, count: $0)) }
        #expect(packets.map(\.bytes.count) == [1_280, 1_281])
        #expect(try losses(#"{"larger": "1280 bytes"}"#, packets) == [false, true])
    }

    @Test func aLaneIsADirection() throws {
        let packets = [WirePacket.opening(), .acceptance()]
        #expect(try losses(#"{"lane": "uplink"}"#, packets) == [true, false])
        #expect(try losses(#"{"lane": "downlink"}"#, packets) == [false, true])
    }

    @Test func chanceFollowsTheSeed() throws {
        func pattern(_ seed: UInt64) throws -> [Bool] {
            let faults = try TestedFaults(#"{"match": {"probability": "30 %"}, "do": "lose"}"#, seed: seed)
            return (0..<2_000).map { index in faults.loses(.opening { $0.client.port = 1_024 + index }) }
        }
        let first = try pattern(7)
        #expect(try pattern(7) == first)
        #expect(try pattern(8) != first)
        // 30 % of 2000 within five standard deviations.
        #expect((498...702).contains(first.count { $0 }))
    }

    /// A seed must lose the same packets in every version: SplitMix64 of the seed, "faults", and the places, as computed
    /// by another program.
    @Test func aSeedsDecisionsNeverChange() throws {
        let faults = try TestedFaults(#"{"match": {"dns": "*", "probability": "50 %"}, "do": "lose"}"#, seed: 3)
        let losses = (0..<12).map { index in faults.loses(.query("a.test") { $0.client.port = 1_024 + index }) }
        #expect(losses.map { $0 ? "x" : "." }.joined() == "xx..xx..x.x.")
    }

    @Test func theFirstFaultThatMatchesDecides() throws {
        let faults = try TestedFaults(
            #"{"match": {"packet": "syn", "port": 443}, "do": "reset"}, {"match": {"protocol": "tcp"}, "do": "lose"}"#
        )
        #expect(faults.decide(.opening()).loss == FaultMark(1, .reset))
        #expect(faults.decide(.opening { $0.server.port = 80 }).loss == FaultMark(2, .lose))
        #expect(faults.decide(Self.udp).loss == nil)
    }

    @Test func whatIsNoPacketOfIPPasses() throws {
        let faults = try TestedFaults(#"{"match": {}, "do": "lose"}"#)
        #expect(faults.decide([], .uplink).loss == nil)
        #expect(faults.decide([0x45], .uplink).loss == nil)
        #expect(faults.decide([UInt8](repeating: 0xFF, count: 60), .uplink).loss == nil)
    }

    @Test func connectionsAreForgottenOneDay() throws {
        let faults = try TestedFaults(#"{"match": {}, "do": "lose silently from here"}"#, connections: 64)
        for index in 0..<10_000 {
            _ = faults.decide(.opening { $0.client.port = 1_000 + index % 60_000 })
            #expect(faults.connectionCount <= 64)
        }
    }
}
