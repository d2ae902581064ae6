// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TrafficControl

@Suite struct DNSLaneTests {
    private static func picks(_ packet: Packet) throws -> Bool {
        try Classifier.leaving("everything", .dns).picks(packet)
    }

    @Test(arguments: [Transport.udp(from: 40000, to: 53), .tcp(from: 40000, to: 53)])
    func picksQueriesOverEitherProtocolAndVersion(query: Transport) throws {
        #expect(try Self.picks(.ipv4(query)))
        #expect(try Self.picks(.ipv6(query)))
    }

    @Test(arguments: [Transport.udp(from: 53, to: 40000), .tcp(from: 53, to: 40000)])
    func leavesAnswersAlone(answer: Transport) throws {
        #expect(try !Self.picks(.ipv4(answer)))
        #expect(try !Self.picks(.ipv6(answer)))
    }

    @Test(arguments: [853, 443, 5353, 52, 54, 0x3500] as [UInt16])
    func leavesOtherPortsAlone(port: UInt16) throws {
        #expect(try !Self.picks(.ipv4(.tcp(from: 40000, to: port))))
        #expect(try !Self.picks(.ipv6(.udp(from: 40000, to: port))))
    }

    @Test func leavesProtocolsWithoutPortsAlone() throws {
        let lookalike = Transport.udp(from: 40000, to: 53).bytes
        for number in [UInt8(1), 58, 132, 136] {
            #expect(try !Self.picks(.ipv4(.bytes(lookalike, number: number))))
            #expect(try !Self.picks(.ipv6(.bytes(lookalike, number: number))))
        }
    }

    @Test(arguments: [0, 4, 12, 40])
    func findsThePortBehindIPv4Options(length: Int) throws {
        let options = [UInt8](repeating: 1, count: length)
        #expect(try Self.picks(.ipv4(.udp(from: 40000, to: 53), options: options)))
        #expect(try !Self.picks(.ipv4(.udp(from: 40000, to: 54), options: options)))
    }

    @Test(
        arguments: [
            [.hopByHop(length: 1)], [.routing(length: 3)], [.destinationOptions(length: 2)],
            [.fragment(offset: 0, more: true)], [.fragment(offset: 0, more: false)],
            [.hopByHop(length: 2), .routing(length: 3), .destinationOptions(length: 1)],
            [.hopByHop(length: 1), .routing(length: 1), .fragment(offset: 0, more: true)],
            [.hopByHop(length: 256)],
        ] as [[ExtensionHeader]]
    )
    func findsThePortBehindExtensionHeaders(headers: [ExtensionHeader]) throws {
        #expect(try Self.picks(.ipv6(.udp(from: 40000, to: 53), headers: headers)))
        #expect(try Self.picks(.ipv6(.tcp(from: 40000, to: 53), headers: headers)))
        #expect(try !Self.picks(.ipv6(.udp(from: 40000, to: 54), headers: headers)))
    }

    @Test func takesAFourthExtensionHeaderForAnotherProtocol() throws {
        let headers: [ExtensionHeader] = [
            .hopByHop(length: 1), .destinationOptions(length: 1), .routing(length: 1), .destinationOptions(length: 1),
        ]
        let packet = Packet.ipv6(.udp(from: 40000, to: 53), headers: headers)
        #expect(try !Self.picks(packet))
        #expect(try Classifier.leaving().picks(packet))
    }

    @Test func picksOnlyTheFirstFragment() throws {
        let query = Transport.udp(from: 40000, to: 53)
        #expect(try Self.picks(.ipv4(query, moreFragments: true)))
        #expect(try !Self.picks(.ipv4(query, fragmentOffset: 8, moreFragments: true)))
        #expect(try !Self.picks(.ipv4(query, fragmentOffset: 0xFFF8)))
        #expect(try Self.picks(.ipv6(query, headers: [.fragment(offset: 0, more: true)])))
        #expect(try !Self.picks(.ipv6(query, headers: [.fragment(offset: 8, more: true)])))
        #expect(try !Self.picks(.ipv6(query, headers: [.fragment(offset: 0xFFF8, more: false)])))
    }

    @Test func obeysTheSelection() throws {
        let classifier = try Classifier.leaving("to 198.51.100.0/24 protocol udp", .dns)
        #expect(try classifier.picks(.ipv4(.udp(from: 40000, to: 53))))
        #expect(try !classifier.picks(.ipv4(.tcp(from: 40000, to: 53))))
        #expect(try !classifier.picks(.ipv4(.udp(from: 40000, to: 53), to: Address.bytes("203.0.113.1"))))
        #expect(try !classifier.picks(.ipv6(.udp(from: 40000, to: 53))))
    }
}
