// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TrafficControl

/// Loopback, where ports identify the side that opened a flow.
@Suite struct OpenerRuleTests {
    private static let even = UInt16(40000)
    private static let odd = UInt16(40001)

    /// Whether the packet counts as the opener's, in both IP versions.
    private static func isOpeners(_ transport: Transport, _ range: ClosedRange<UInt16> = 32768...60999) throws -> Bool {
        let classifier = try Classifier.leaving("everything", .fromOpener(ephemeralPorts: range))
        let answers = try [classifier.picks(.ipv4(transport)), classifier.picks(.ipv6(transport))]
        try #require(Set(answers).count == 1)
        return answers[0]
    }

    @Test func takesTheEvenEphemeralPortForTheOpenersOfTCP() throws {
        #expect(try Self.isOpeners(.tcp(from: Self.even, to: 80)))
        #expect(try !Self.isOpeners(.tcp(from: 80, to: Self.even)))
        #expect(try Self.isOpeners(.tcp(from: Self.even, to: Self.odd)))
        #expect(try !Self.isOpeners(.tcp(from: Self.odd, to: Self.even)))
    }

    @Test func countsTCPThatPortsDoNotTellAsTheOpeners() throws {
        #expect(try Self.isOpeners(.tcp(from: 1000, to: 80)))
        #expect(try Self.isOpeners(.tcp(from: Self.odd, to: 80)))
        #expect(try Self.isOpeners(.tcp(from: 80, to: Self.odd)))
        #expect(try Self.isOpeners(.tcp(from: Self.even, to: Self.even)))
    }

    @Test func takesTheParityOfTheRangesLowestPort() throws {
        let range: ClosedRange<UInt16> = 32769...60999
        #expect(try Self.isOpeners(.tcp(from: Self.odd, to: 80), range))
        #expect(try !Self.isOpeners(.tcp(from: 80, to: Self.odd), range))
        #expect(try !Self.isOpeners(.tcp(from: Self.even, to: Self.odd), range))
    }

    @Test(arguments: [(32768, true), (32766, false), (60998, true), (61000, false)] as [(UInt16, Bool)])
    func looksAtPortsOfTheRangeOnly(port: UInt16, isEphemeral: Bool) throws {
        #expect(try Self.isOpeners(.tcp(from: 80, to: port)) == !isEphemeral)
        #expect(try Self.isOpeners(.udp(from: 80, to: port)) == !isEphemeral)
    }

    @Test func takesTheSideOutsideTheRangeForTheServerOfUDP() throws {
        for port in [Self.even, Self.odd] {
            #expect(try Self.isOpeners(.udp(from: port, to: 53)))
            #expect(try !Self.isOpeners(.udp(from: 53, to: port)))
        }
    }

    @Test func countsUDPThatPortsDoNotTellAsTheOpeners() throws {
        #expect(try Self.isOpeners(.udp(from: 1000, to: 2000)))
        #expect(try Self.isOpeners(.udp(from: Self.even, to: Self.odd)))
        #expect(try Self.isOpeners(.udp(from: Self.odd, to: Self.even)))
    }

    @Test func takesARangeUpToTheLastPort() throws {
        let range: ClosedRange<UInt16> = 57344...65535
        #expect(try !Self.isOpeners(.udp(from: 80, to: 65535), range))
        #expect(try !Self.isOpeners(.tcp(from: 80, to: 65534), range))
        #expect(try Self.isOpeners(.tcp(from: 65534, to: 80), range))
    }

    @Test func takesEchoRepliesForAnswers() throws {
        let classifier = try Classifier.leaving("everything", .fromOpener(ephemeralPorts: 32768...60999))
        #expect(try classifier.picks(.ipv4(.icmp(8))))
        #expect(try !classifier.picks(.ipv4(.icmp(0))))
        #expect(try classifier.picks(.ipv6(.icmpv6(128))))
        #expect(try !classifier.picks(.ipv6(.icmpv6(129))))
    }

    @Test(arguments: [3, 4, 11, 12, 14] as [UInt8])
    func takesErrorsAndRepliesOfICMPForAnswers(type: UInt8) throws {
        let classifier = try Classifier.leaving("everything", .fromOpener(ephemeralPorts: 32768...60999))
        #expect(try !classifier.picks(.ipv4(.icmp(type))))
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt8])
    func takesErrorsOfICMPv6ForAnswers(type: UInt8) throws {
        let classifier = try Classifier.leaving("everything", .fromOpener(ephemeralPorts: 32768...60999))
        #expect(try !classifier.picks(.ipv6(.icmpv6(type))))
    }

    @Test func countsLaterFragmentsAsTheOpeners() throws {
        let classifier = try Classifier.leaving("everything", .fromOpener(ephemeralPorts: 32768...60999))
        for number in [UInt8(1), 6, 17] {
            let middle = Transport.bytes([0, 80, 0x9C, 0x40, 0, 0, 0, 0], number: number)
            #expect(try classifier.picks(.ipv4(middle, fragmentOffset: 1480)))
        }
        let middle = Transport.bytes([0, 80, 0x9C, 0x40, 0, 0, 0, 0], number: 58)
        #expect(try classifier.picks(.ipv6(middle, headers: [.fragment(offset: 1448, more: false)])))
    }

    @Test func countsOtherProtocolsAsTheOpeners() throws {
        #expect(try Self.isOpeners(.bytes([0, 1, 2, 3], number: 132)))
    }
}
