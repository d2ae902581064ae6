// SPDX-License-Identifier: Apache-2.0

import Netlink
import Testing

@testable import Probing
@testable import Reachability

@Suite struct LinkContextTests {
    private let address: IPAddress
    private let probes: [Probe]

    init() throws {
        address = try #require(IPAddress("192.0.2.1"))
        probes = [
            .tcp(address, port: 80), .tls(address, port: 443, name: "a.example"),
            .http(HTTPQuestion(host: "a.example", port: 80), address),
            .dns(DNSQuestion("a.example", .a), server: address, overTCP: true),
        ]
    }

    private static func path(_ interface: String?) -> Path {
        var path = Path(.satisfied)
        path.interface = interface
        return path
    }

    private static func context(tells: Bool) -> LinkContext {
        var context = LinkContext()
        context.uplink = .init(interface: "lc0", tellsRefusalFromSilence: tells)
        return context
    }

    private static let silence = Observation.Finding.failed(.blackHole)

    @Test func doesNotGuessWhatTheUplinkHides() {
        let context = Self.context(tells: false)
        for probe in probes {
            #expect(context.interpret(Self.silence, of: probe, over: Self.path("lc0")) == .failed(.hiddenByUplink))
        }
    }

    @Test func believesAnUplinkThatTells() {
        let context = Self.context(tells: true)
        for probe in probes {
            #expect(context.interpret(Self.silence, of: probe, over: Self.path("lc0")) == Self.silence)
        }
    }

    @Test func leavesOtherPathsProbesAndFindingsAlone() {
        let context = Self.context(tells: false)
        for probe in probes {
            #expect(context.interpret(Self.silence, of: probe, over: Self.path("eth0")) == Self.silence)
            #expect(context.interpret(Self.silence, of: probe, over: nil) == Self.silence)
            #expect(LinkContext().interpret(Self.silence, of: probe, over: Self.path("lc0")) == Self.silence)
            for finding in [
                Observation.Finding.answered(.seconds(1)), .failed(.refused), .failed(.tlsExpired),
                .nothing(.permission),
            ] {
                #expect(context.interpret(finding, of: probe, over: Self.path("lc0")) == finding)
            }
        }
        let others: [Probe] = [
            .icmp(address), .udp(address, port: 7), .unix(path: "/a"),
            .dns(DNSQuestion("a.example", .a), server: address),
        ]
        for probe in others {
            #expect(context.interpret(Self.silence, of: probe, over: Self.path("lc0")) == Self.silence)
        }
    }

    @Test func saysWhereAProgramStandsBetween() {
        let context = Self.context(tells: true)
        #expect(context.via(Self.path("lc0")) == "uplink")
        #expect(context.via(Self.path("eth0")) == nil)
        #expect(context.via(Self.path(nil)) == nil)
        #expect(context.via(nil) == nil)
        #expect(LinkContext().via(Self.path("lc0")) == nil)
    }
}
