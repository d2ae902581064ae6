// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TrafficControl

@Suite struct SelectedTrafficTests {
    private static let query = Transport.udp(from: 40000, to: 53)

    @Test(arguments: [
        ("10.0.0.0/8", "10.255.255.255", "11.0.0.0"), ("10.0.0.0/9", "10.127.0.1", "10.128.0.1"),
        ("192.0.2.0/24", "192.0.2.200", "192.0.3.0"), ("192.0.2.8/31", "192.0.2.9", "192.0.2.10"),
        ("192.0.2.8", "192.0.2.8", "192.0.2.9"), ("128.0.0.0/1", "255.0.0.1", "127.255.255.255"),
        ("2001:db8::/32", "2001:db8:ffff::1", "2001:db9::"), ("2001:db8::/33", "2001:db8:7fff::", "2001:db8:8000::"),
        ("fe80::/10", "febf::1", "fec0::1"), ("2001:db8::/64", "2001:db8::ffff:1", "2001:db8:0:1::"),
        ("2001:db8::/65", "2001:db8::7fff:0:0:1", "2001:db8::8000:0:0:1"),
        ("2001:db8::fe/127", "2001:db8::ff", "2001:db8::fd"), ("2001:db8::1", "2001:db8::1", "2001:db8::2"),
        ("8000::/1", "ffff::", "7fff::"),
    ])
    func comparesAsManyBitsAsThePrefixHas(prefix: String, inside: String, outside: String) throws {
        var classifier = try Classifier.leaving("to \(prefix)")
        for (remote, isMeant) in [(inside, true), (outside, false)] {
            let address = Address.bytes(remote)
            let isIPv4 = address.count == 4
            let own = Address.bytes(isIPv4 ? "203.0.113.77" : "2a00::77")
            let leaving =
                isIPv4 ? Packet.ipv4(Self.query, from: own, to: address) : .ipv6(Self.query, from: own, to: address)
            let arriving =
                isIPv4 ? Packet.ipv4(Self.query, from: address, to: own) : .ipv6(Self.query, from: address, to: own)
            classifier.remote = .destination
            #expect(try classifier.picks(leaving) == isMeant)
            classifier.remote = .source
            #expect(try classifier.picks(arriving) == isMeant)
        }
    }

    @Test func looksAtTheRemoteEndOnly() throws {
        let remote = Address.bytes("198.51.100.7")
        let own = Address.bytes("192.0.2.1")
        var classifier = try Classifier.leaving("to 198.51.100.7")
        #expect(try !classifier.picks(.ipv4(Self.query, from: remote, to: own)))
        classifier.remote = .source
        #expect(try !classifier.picks(.ipv4(Self.query, from: own, to: remote)))
    }

    @Test func meansOneVersionByAPrefixOfLengthZero() throws {
        let ipv4 = try Classifier.leaving("to 0.0.0.0/0")
        #expect(try ipv4.picks(.ipv4(Self.query)))
        #expect(try !ipv4.picks(.ipv6(Self.query)))
        let ipv6 = try Classifier.leaving("to ::/0")
        #expect(try !ipv6.picks(.ipv4(Self.query)))
        #expect(try ipv6.picks(.ipv6(Self.query)))
    }

    @Test func findsAPortAtEitherEnd() throws {
        let classifier = try Classifier.leaving("port 443")
        #expect(try classifier.picks(.ipv4(.tcp(from: 40000, to: 443))))
        #expect(try classifier.picks(.ipv6(.udp(from: 443, to: 40000))))
        #expect(try !classifier.picks(.ipv4(.tcp(from: 40000, to: 444))))
        #expect(try !classifier.picks(.ipv4(.icmp(8))))
        #expect(try !classifier.picks(.ipv4(.tcp(from: 40000, to: 443), fragmentOffset: 8)))
    }

    @Test func tellsProtocolsApart() throws {
        let packets = [Transport.tcp(from: 1000, to: 2000), .udp(from: 1000, to: 2000), .icmp(8)].map {
            Packet.ipv4($0)
        }
        for (index, name) in ["tcp", "udp", "icmp"].enumerated() {
            let classifier = try Classifier.leaving("protocol \(name)")
            #expect(try packets.map(classifier.picks) == packets.indices.map { $0 == index })
        }
        #expect(try Classifier.leaving("protocol icmp").picks(.ipv6(.icmpv6(128))))
        #expect(try Classifier.leaving("protocol udp").picks(.ipv4(Self.query, fragmentOffset: 8)))
    }

    @Test func takesOneKindAsAlternativesAndKindsTogether() throws {
        let classifier = try Classifier.leaving("to 198.51.100.0/24 to 2001:db8::/32 port 80 port 443 protocol tcp")
        #expect(try classifier.picks(.ipv4(.tcp(from: 40000, to: 80))))
        #expect(try classifier.picks(.ipv6(.tcp(from: 40000, to: 443))))
        #expect(try !classifier.picks(.ipv4(.udp(from: 40000, to: 80))))
        #expect(try !classifier.picks(.ipv4(.tcp(from: 40000, to: 8080))))
        #expect(try !classifier.picks(.ipv4(.tcp(from: 40000, to: 80), to: Address.bytes("203.0.113.1"))))
    }

    @Test func letsExclusionsWin() throws {
        let classifier = try Classifier.leaving(
            "port 22 port 80 exclude port 22 exclude to 198.51.100.9 exclude protocol udp"
        )
        #expect(try classifier.picks(.ipv4(.tcp(from: 40000, to: 80))))
        #expect(try !classifier.picks(.ipv4(.tcp(from: 40000, to: 22))))
        #expect(try !classifier.picks(.ipv4(.tcp(from: 22, to: 80))))
        #expect(try !classifier.picks(.ipv4(.udp(from: 40000, to: 80))))
        #expect(try !classifier.picks(.ipv4(.tcp(from: 40000, to: 80), to: Address.bytes("198.51.100.9"))))
    }

    @Test func excludesFromEverything() throws {
        let classifier = try Classifier.leaving("exclude port 22")
        #expect(try classifier.picks(.ipv4(.icmp(8))))
        #expect(try !classifier.picks(.ipv6(.tcp(from: 22, to: 40000))))
    }

    @Test func holdsFortyPrefixes() throws {
        let prefixes = (0..<40).map { "to 2001:db8:\(String($0, radix: 16))::/48" }.joined(separator: " ")
        let classifier = try Classifier.leaving(prefixes, .fromOpener(ephemeralPorts: 32768...60999))
        for index in 0..<40 {
            let remote = Address.bytes("2001:db8:\(String(index, radix: 16))::1")
            #expect(try classifier.picks(.ipv6(Self.query, to: remote)))
        }
        #expect(try !classifier.picks(.ipv6(Self.query, to: Address.bytes("2001:db8:28::1"))))
    }

    @Test func holdsFortyExclusions() throws {
        let ports = (1...40).map { "exclude port \($0)" }.joined(separator: " ")
        let classifier = try Classifier.leaving(ports, .dns)
        #expect(try classifier.picks(.ipv4(Self.query)))
        for port in UInt16(1)...40 { #expect(try !classifier.picks(.ipv4(.udp(from: port, to: 53)))) }
    }
}
