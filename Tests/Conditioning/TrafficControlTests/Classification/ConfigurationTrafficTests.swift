// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TrafficControl

/// Configuration traffic is never conditioned: without it, programs see "no route to host".
@Suite struct ConfigurationTrafficTests {
    private static let conditions: [Classifier.Condition] = [
        .any, .dns, .fromOpener(ephemeralPorts: 32768...60999), .toOpener(ephemeralPorts: 32768...60999),
    ]

    @Test(arguments: conditions)
    func passesARPUntouched(condition: Classifier.Condition) throws {
        #expect(try !Classifier.leaving("everything", condition).picks(.arp))
    }

    @Test(arguments: UInt8(133)...137)
    func passesNeighbourDiscoveryUntouched(type: UInt8) throws {
        let classifier = try Classifier.leaving()
        #expect(try !classifier.picks(.ipv6(.icmpv6(type))))
        #expect(try !classifier.picks(.ipv6(.icmpv6(type), headers: [.hopByHop(length: 1)])))
    }

    @Test(arguments: [UInt8(128), 129, 132, 138, 143])
    func picksOtherICMPv6(type: UInt8) throws {
        #expect(try Classifier.leaving().picks(.ipv6(.icmpv6(type))))
    }

    @Test func picksICMPv4WithTypesOfNeighbourDiscovery() throws {
        #expect(try Classifier.leaving().picks(.ipv4(.icmp(135))))
    }

    @Test func picksLaterFragmentsWhoseContentLooksLikeNeighbourDiscovery() throws {
        let middle = Transport.bytes([135, 0, 0, 0, 0, 0, 0, 0], number: 58)
        let packet = Packet.ipv6(middle, headers: [.fragment(offset: 1448, more: false)])
        #expect(try Classifier.leaving().picks(packet))
    }

    @Test(arguments: [(68, 67), (67, 68), (546, 547), (547, 546)] as [(UInt16, UInt16)])
    func passesDHCPUntouched(source: UInt16, destination: UInt16) throws {
        let classifier = try Classifier.leaving()
        #expect(try !classifier.picks(.ipv4(.udp(from: source, to: destination))))
        #expect(try !classifier.picks(.ipv6(.udp(from: source, to: destination))))
    }

    @Test func picksTCPFromTheSamePorts() throws {
        #expect(try Classifier.leaving().picks(.ipv4(.tcp(from: 68, to: 67))))
    }

    @Test(arguments: [Packet.ipv4(.icmp(8)), .ipv6(.icmpv6(128)), .ipv4(.udp(from: 4000, to: 53)), .arp])
    func passesFramesOfAVLANUntouched(packet: Packet) throws {
        for condition in Self.conditions {
            #expect(try !Classifier.leaving("everything", condition).picks(packet.tagged))
        }
    }

    @Test(arguments: [UInt16(0x8100), 0x88A8, 0x88CC, 0x888E, 0x8863, 0x8864])
    func passesWhatIsNotIPUntouched(etherType: UInt16) throws {
        let packet = Packet(etherType: etherType, network: Packet.ipv4(.icmp(8)).network)
        #expect(try !Classifier.leaving().picks(packet))
    }

    @Test func passesPacketsThatEndBeforeTheirHeaderDoes() throws {
        let classifier = try Classifier.leaving()
        for count in 0..<24 { #expect(try !classifier.picks(.ipv4(.udp(from: 4000, to: 4001)).cut(to: count))) }
        for count in 0..<44 { #expect(try !classifier.picks(.ipv6(.udp(from: 4000, to: 4001)).cut(to: count))) }
    }

    @Test func picksWhateverElseIsIP() throws {
        let classifier = try Classifier.leaving()
        for number in [UInt8(2), 4, 41, 47, 50, 89, 132, 255] {
            let transport = Transport.bytes([1, 2, 3, 4], number: number)
            #expect(try classifier.picks(.ipv4(transport)))
            #expect(try classifier.picks(.ipv6(transport)))
        }
    }

    @Test func looksBehindNoHeaderWhereTheDeviceHasNone() throws {
        var classifier = try Classifier.leaving("to 198.51.100.0/24 port 443")
        classifier.networkOffset = 0
        #expect(try classifier.picks(.ipv4(.tcp(from: 40000, to: 443))))
        #expect(try !classifier.picks(.ipv4(.tcp(from: 40000, to: 80))))
        #expect(try !classifier.picks(.ipv6(.icmpv6(135))))
        classifier.networkOffset = 14
        #expect(try classifier.picks(.ipv4(.tcp(from: 40000, to: 443))))
    }
}
