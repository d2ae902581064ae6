// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Testing

@testable import PacketFaults

/// What a fault does, byte by byte.
@Suite struct FaultActionTests {
    private static let (fin, syn, rst, ack): (UInt8, UInt8, UInt8, UInt8) = (1, 2, 4, 16)

    private func faults(_ action: String, _ match: String = "{}") throws -> TestedFaults {
        try TestedFaults("{\"match\": \(match), \"do\": \(action)}")
    }

    @Test func losesOnePacketAndNoMore() throws {
        let faults = try faults(#""lose""#, #"{"packet": "nth 2"}"#)
        #expect([1, 2, 3].map { _ in faults.decide(.data([1])) }.map { $0.loss != nil } == [false, true, false])
    }

    @Test func losesAllThatFollowsInBothDirections() throws {
        let faults = try faults(#""lose silently from here""#, #"{"packet": "nth 2"}"#)
        #expect(!faults.loses(.opening()))
        let rest = [
            WirePacket.acceptance(), .data([1]), .data([1]) { $0.isFromServer = true }, .data([]) { $0.flags = 4 },
        ]
        for packet in rest {
            let decision = faults.decide(packet)
            #expect(decision == FaultDecision(loss: FaultMark(1, .loseFromHere)))
        }
        #expect(!faults.loses(.opening { $0.client.port = 40_002 }))
    }

    @Test(arguments: [false, true])
    func refusesASynByAnRST(isIPv6: Bool) throws {
        let faults = try faults(#"{"refuse": "reset"}"#)
        let packet = WirePacket.opening { $0.isIPv6 = isIPv6 }
        let decision = faults.decide(packet)
        let answer = try #require(decision.back.first)
        #expect(decision.made.count == 1 && answer.isSound)
        #expect(answer.source == packet.destination && answer.destination == packet.source)
        #expect(answer.sourcePort == 443 && answer.destinationPort == 40_000)
        // RFC 9293, 3.10.7.1: sequence 0, and what the SYN takes is acknowledged.
        #expect(answer.flags == Self.rst | Self.ack && answer.sequence == 0 && answer.acknowledgment == 1_000)
    }

    @Test(arguments: [
        ("port", 3, 3, 1, 4), ("host", 3, 1, 1, 3), ("net", 3, 0, 1, 0), ("prohibited", 3, 13, 1, 1),
    ])
    func refusesByICMP(word: String, type4: UInt8, code4: UInt8, type6: UInt8, code6: UInt8) throws {
        for (isIPv6, type, code) in [(false, type4, code4), (true, type6, code6)] {
            let faults = try faults("{\"refuse\": \"\(word)\"}")
            let packet = WirePacket(kind: .udp, isIPv6: isIPv6, payload: [UInt8](repeating: 9, count: 1_400))
            let answer = try #require(faults.decide(packet).back.first)
            #expect(answer.isSound && answer.transport == (isIPv6 ? 58 : 1))
            #expect(answer.source == packet.destination && answer.destination == packet.source)
            #expect(Array(answer.body[0..<2]) == [type, code] && answer.body[4..<8].allSatisfy { $0 == 0 })
            // The packet's own start: RFC 1812 up to 576 bytes, RFC 4443 up to 1280.
            #expect(answer.body.dropFirst(8).elementsEqual(packet.bytes.prefix(isIPv6 ? 1_232 : 548)))
        }
    }

    @Test func tellsHowLargeAPacketMayBe() throws {
        let payload = [UInt8](repeating: 9, count: 1_380)
        let faults = try faults(#"{"refuse": "packet too big"}"#, #"{"larger": "1400 bytes"}"#)
        let four = try #require(faults.decide(.data(payload)).back.first)
        #expect(four.isSound && Array(four.body[0..<8]) == [3, 4, four.body[2], four.body[3], 0, 0, 0x05, 0x78])
        let six = try #require(faults.decide(.data(payload) { $0.isIPv6 = true }).back.first)
        #expect(six.isSound && Array(six.body[0..<2]) == [2, 0] && Array(six.body[4..<8]) == [0, 0, 0x05, 0x78])
        // What a router may cut into fragments, it cuts.
        #expect(faults.decide(.data(payload) { $0.mayBeFragmented = true }).loss == nil)
    }

    @Test func answersNoErrorByAnError() throws {
        let faults = try faults(#"{"refuse": "host"}"#)
        var error = WirePacket(kind: .icmp).bytes
        error[20] = 3
        #expect(faults.decide(error, .uplink) == FaultDecision())
        var multicast = WirePacket(kind: .udp, payload: [1]).bytes
        multicast.replaceSubrange(16..<20, with: [224, 0, 0, 251])
        #expect(faults.decide(multicast, .uplink) == FaultDecision())
    }

    @Test func resetsBothEndsInSequence() throws {
        let faults = try faults(#""reset""#, #"{"after": "3 bytes"}"#)
        for packet in [WirePacket.opening(), .acceptance(), .data([1, 2, 3])] { #expect(!faults.loses(packet)) }
        let packet = WirePacket.data([4, 5]) { ($0.sequence, $0.acknowledgment) = (1_003, 5_000) }
        let decision = faults.decide(packet)
        #expect(decision.loss == FaultMark(1, .reset))
        let (back, on) = (try #require(decision.back.first), try #require(decision.on.first))
        #expect(back.isSound && on.isSound && decision.made.count == 2)
        #expect(back.flags == Self.rst && back.sequence == 5_000)
        #expect(on.flags == Self.rst | Self.ack && on.sequence == 1_003 && on.acknowledgment == 5_000)
        #expect(on.source == packet.source && on.destination == packet.destination)
    }

    @Test func answersWhatComesAfterAReset() throws {
        let faults = try faults(#""reset""#, #"{"after": "1 bytes"}"#)
        _ = faults.decide(.data([1]))
        _ = faults.decide(.data([2]))
        // A challenge ACK (RFC 5961) of an end that the RST did not convince.
        let challenge = WirePacket.data([]) { ($0.isFromServer, $0.flags, $0.acknowledgment) = (true, 16, 1_001) }
        let answer = try #require(faults.decide(challenge).back.first)
        #expect(answer.flags == Self.rst && answer.sequence == 1_001)
        #expect(faults.decide(.data([]) { $0.flags = 4 }).made.isEmpty)
    }

    @Test func aResetOfASynIsARefusal() throws {
        let faults = try faults(#""reset""#)
        let decision = faults.decide(.opening())
        #expect(decision.on.isEmpty && decision.back.map(\.flags) == [Self.rst | Self.ack])
    }

    @Test(arguments: ["close", "half close"])
    func aCloseInTheHandshakeIsARefusal(action: String) throws {
        let faults = try faults("\"\(action)\"", #"{"packet": "nth 2"}"#)
        #expect(!faults.loses(.opening()))
        let decision = faults.decide(.acceptance())
        // The client's SYN is answered by RST, and so is the server's acceptance.
        #expect(decision.on.map(\.flags) == [Self.rst | Self.ack] && decision.on.map(\.acknowledgment) == [1_000])
        #expect(decision.back.map(\.flags) == [Self.rst] && decision.back.map(\.sequence) == [1_000])
    }

    @Test func closesBothEndsAndThenKnowsNoConnection() throws {
        let faults = try faults(#""close""#, #"{"after": "1 bytes"}"#)
        _ = faults.decide(.data([1]))
        let decision = faults.decide(.data([2, 3]) { $0.sequence = 1_001 })
        let (back, on) = (try #require(decision.back.first), try #require(decision.on.first))
        #expect(back.isSound && on.isSound)
        #expect(back.flags == Self.fin | Self.ack && back.sequence == 5_000 && back.acknowledgment == 1_003)
        #expect(on.flags == Self.fin | Self.ack && on.sequence == 1_001 && on.acknowledgment == 5_000)
        // The client's own FIN is acknowledged, its data is not.
        let end = faults.decide(.data([]) { ($0.flags, $0.sequence, $0.acknowledgment) = (17, 1_003, 5_001) })
        #expect(end.back.map(\.acknowledgment) == [1_004] && end.back.map(\.flags) == [Self.ack])
        let answer = faults.decide(
            .data([7]) { ($0.isFromServer, $0.sequence, $0.acknowledgment) = (true, 5_000, 1_002) }
        )
        #expect(answer.back.map(\.flags) == [Self.rst])
    }

    @Test func sendsAFinAgainThatWasLost() throws {
        let faults = try faults(#""close""#, #"{"after": "1 bytes"}"#)
        _ = faults.decide(.data([1]))
        let packet = WirePacket.data([2]) { $0.sequence = 1_001 }
        let first = faults.decide(packet).back
        #expect(faults.decide(packet).back == first)
    }

    @Test func halfClosesAndAcknowledgesWhatStillComes() throws {
        let faults = try faults(#""half close""#, #"{"after": "1 bytes"}"#)
        _ = faults.decide(.data([1]))
        let first = faults.decide(.data([2]) { $0.sequence = 1_001 })
        #expect(first.back.map(\.flags) == [Self.fin | Self.ack])
        let more = faults.decide(.data([3, 4]) { ($0.sequence, $0.acknowledgment) = (1_002, 5_001) })
        #expect(more.back.map(\.flags) == [Self.ack] && more.back.map(\.acknowledgment) == [1_004])
        #expect(more.loss == FaultMark(1, .halfClose))
    }

    @Test func stallsWithAWindowOfZero() throws {
        let faults = try faults(#""stall""#, #"{"after": "1 bytes"}"#)
        _ = faults.decide(.data([1]))
        let answer = try #require(faults.decide(.data([2, 3]) { $0.sequence = 1_001 }).back.first)
        #expect(answer.isSound && answer.flags == Self.ack && answer.window == 0 && answer.acknowledgment == 1_003)
        // A probe of the window: an old byte.
        let probe = faults.decide(.data([]) { ($0.flags, $0.sequence) = (16, 1_002) })
        #expect(probe.back.map(\.window) == [0] && probe.back.map(\.acknowledgment) == [1_003])
        // An acknowledgement needs no answer, or two faults would talk for ever.
        #expect(faults.decide(.data([]) { ($0.flags, $0.sequence) = (16, 1_003) }).made.isEmpty)
    }

    @Test func stallsAConnectionFromItsSYN() throws {
        let faults = try faults(#""stall""#)
        let answer = try #require(faults.decide(.opening()).back.first)
        #expect(answer.isSound && answer.flags == Self.syn | Self.ack && answer.window == 0)
        #expect(answer.acknowledgment == 1_000)
        let again = try #require(faults.decide(.opening()).back.first)
        #expect(again == answer)
    }

    @Test(arguments: [("NXDOMAIN", 3), ("SERVFAIL", 2), ("REFUSED", 5), ("empty", 0)])
    func answersQueriesInTheServersName(word: String, code: UInt8) throws {
        let faults = try faults("{\"answer\": \"\(word)\"}")
        let query = WirePacket.query("api.test")
        let answer = try #require(faults.decide(query).back.first)
        #expect(answer.isSound && answer.source == query.destination && answer.sourcePort == 53)
        #expect(answer.destinationPort == 40_000)
        let question = query.payload.dropFirst(12)
        #expect(answer.datagram == [0xAB, 0xCD, 0x81, 0x80 | code, 0, 1, 0, 0, 0, 0, 0, 0] + question)
    }

    @Test func truncatesOverUDPOnly() throws {
        let faults = try faults(#"{"answer": "truncated"}"#)
        #expect(try #require(faults.decide(.query("api.test")).back.first).datagram[2] == 0x83)
        let message = WirePacket.dnsQuery("api.test")
        #expect(!faults.loses(.data(big(message.count, 2) + message) { $0.server.port = 53 }))
    }

    @Test func answersWithAnAddress() throws {
        let faults = try faults(#"{"answer": "192.0.2.7"}"#)
        let answer = try #require(faults.decide(.query("api.test")).back.first).datagram
        #expect(Array(answer[4..<12]) == [0, 1, 0, 1, 0, 0, 0, 0])
        #expect(Array(answer.suffix(16)) == [0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 5, 0, 4, 192, 0, 2, 7])
        let other = try #require(faults.decide(.query("api.test", type: 28)).back.first).datagram
        #expect(Array(other[2..<12]) == [0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0])
    }

    @Test func answersOverTCPAndEndsTheConnection() throws {
        let faults = try faults(#"{"answer": "NXDOMAIN"}"#)
        let message = WirePacket.dnsQuery("api.test")
        let decision = faults.decide(.data(big(message.count, 2) + message) { $0.server.port = 53 })
        let (back, on) = (try #require(decision.back.first), try #require(decision.on.first))
        #expect(back.isSound && back.flags == Self.fin | Self.ack | 8 && back.sequence == 5_000)
        #expect(back.acknowledgment == 1_000 + 2 + message.count)
        #expect(Array(back.data.prefix(6)) == big(message.count, 2) + [0xAB, 0xCD, 0x81, 0x83])
        #expect(on.flags == Self.rst | Self.ack && on.sequence == 1_000)
        // It is sent again as long as it is not acknowledged.
        let again = faults.decide(.data(big(message.count, 2) + message) { $0.server.port = 53 })
        #expect(again.back.first == back)
    }

    @Test func holdsAQueryBack() throws {
        let faults = try faults(#"{"answer": {"after": "6 s"}}"#)
        let query = WirePacket.query("api.test")
        let decision = faults.decide(query)
        #expect(
            decision.made == [
                MadePacket(bytes: query.bytes, isForSender: false, mark: FaultMark(1, .hold), delay: 6_000_000_000)
            ]
        )
        #expect(!faults.loses(.query("api.test") { $0.server.port = 54 }))
    }

    @Test func redirectsHTTPToThePortal() throws {
        let faults = try faults(#"{"portal": "http://portal.test/"}"#)
        let opening = WirePacket.opening { $0.server.port = 80 }
        let acceptance = try #require(faults.decide(opening).back.first)
        #expect(acceptance.isSound && acceptance.flags == Self.syn | Self.ack && acceptance.window > 0)
        let first = acceptance.sequence + 1
        let request = WirePacket.data(Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)) {
            ($0.server.port, $0.acknowledgment) = (80, first)
        }
        let answer = try #require(faults.decide(request).back.first)
        #expect(answer.isSound && answer.sequence == first && answer.acknowledgment == 1_000 + request.payload.count)
        let text = String(decoding: answer.data, as: UTF8.self)
        #expect(text.hasPrefix("HTTP/1.1 302 Found\r\nLocation: http://portal.test/\r\n") && text.hasSuffix("\r\n\r\n"))
        #expect(answer.flags & Self.fin != 0)
    }

    @Test func resetsTLSAtThePortal() throws {
        let faults = try faults(#"{"portal": "http://portal.test/"}"#)
        let acceptance = try #require(faults.decide(.opening()).back.first)
        let hello = WirePacket.data(WirePacket.clientHello("a.test")) { $0.acknowledgment = acceptance.sequence + 1 }
        let answer = try #require(faults.decide(hello).back.first)
        #expect(answer.flags == Self.rst && answer.sequence == acceptance.sequence + 1)
        #expect(!faults.loses(.opening { $0.server.port = 22 }))
    }
}
