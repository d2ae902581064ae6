// SPDX-License-Identifier: Apache-2.0

import Netlink
import Testing

@testable import Probing

@Suite(.enabled(if: ProbeNetwork.isAvailable, ProbeNetwork.need)) struct DNSExchangeTests {
    private static let servers = ["10.71.2.2", "fd71:2::2"].map { IPAddress(literal: $0) }
    private static let expected: [(String, Reason)] = [
        ("nx.test", .nxdomain), ("empty.test", .nodata), ("servfail.test", .servfail), ("refused.test", .queryRefused),
        ("silent.test", .queryTimeout), ("garbage.test", .malformedAnswer), ("cut.test", .malformedAnswer),
        ("wrongid.test", .queryTimeout), ("loop.test", .nodata),
    ]

    @Test func tellsWhyAServerGivesNoAddress() async throws {
        try await ProbeNetwork.with { network in
            let servers = try FarServers(network)
            let loop = network.loop()
            for server in Self.servers {
                for (name, reason) in Self.expected {
                    let probe = Probe.dns(DNSQuestion(name, .a), server: server)
                    // What is no answer is waited beyond, until the timeout.
                    let observation = await loop.askInVain(probe) { $0.finding == .failed(reason) }
                    #expect(observation.finding == .failed(reason), "\(name): \(observation)")
                }
            }
            let wrong = Probe.dns(DNSQuestion("wrongid.test", .a), server: Self.servers[0])
            let ignored = await loop.askInVain(wrong) { $0.detail?.contains("ignored 1") == true }
            #expect(ignored.detail?.contains("ignored 1") == true, "\(ignored)")
            withExtendedLifetime(servers) {}
        }
    }

    @Test(arguments: ["ok.test", "alias.test", "second.test", "big.test", "lower.test", "old.test"], [false, true])
    func findsAddresses(_ name: String, overTCP: Bool) async throws {
        try await ProbeNetwork.with { network in
            let servers = try FarServers(network)
            let loop = network.loop()
            for (server, type, address) in [
                (Self.servers[0], DNSQuestion.RecordType.a, "192.0.2.1"),
                (Self.servers[1], .aaaa, "2001:db8::1"),
            ] {
                let probe = Probe.dns(DNSQuestion(name, type), server: server, overTCP: overTCP)
                if overTCP, name == "second.test" {
                    // On a connection only the server can have sent the nonsense.
                    #expect(await loop.ask(probe).finding == .failed(.malformedAnswer))
                    continue
                }
                let observation = await loop.ask(probe)
                #expect(observation.answerTime != nil, "\(observation)")
                #expect(observation.addresses == [IPAddress(literal: address)])
                #expect(observation.timeToLive == .seconds(name == "alias.test" ? 7 : 30))
            }
            withExtendedLifetime(servers) {}
        }
    }

    /// Somebody who guesses the query's number does not know the case of its letters.
    @Test func takesNoAnswerOverUDPWhoseLettersAreOfAnotherCase() async throws {
        try await ProbeNetwork.with { network in
            let servers = try FarServers(network)
            let name = String(repeating: "forged", count: 8) + ".test"
            let observation = await network.loop().ask(.dns(DNSQuestion(name, .a), server: Self.servers[0]))
            #expect(observation.addresses == [IPAddress(literal: "192.0.2.1")], "\(observation)")
            withExtendedLifetime(servers) {}
        }
    }

    @Test func ignoresALimitedNumberOfMessagesThatBelongToOtherQueries() async throws {
        try await ProbeNetwork.with { network in
            let servers = try FarServers(network)
            let loop = network.loop()
            // The server that sends them over UDP is asked over TCP.
            let crowd = await loop.ask(.dns(DNSQuestion("crowd.test", .a), server: Self.servers[0]))
            #expect(crowd.addresses == [IPAddress(literal: "192.0.2.1")], "\(crowd)")
            let question = DNSQuestion("strangers.test", .a)
            let stream = await loop.ask(.dns(question, server: Self.servers[0], overTCP: true))
            #expect(stream.finding == .failed(.malformedAnswer))
            #expect(stream.detail == "ignored 32 messages that did not belong to the query")
            withExtendedLifetime(servers) {}
        }
    }

    @Test func tellsAServerThatCannotBeReachedFromASilentOne() async throws {
        try await ProbeNetwork.with { network in
            let loop = network.loop()
            for overTCP in [false, true] {
                for (server, detail) in [
                    ("10.71.1.1", Reason.refused), ("10.75.0.1", .noRoute), ("10.73.0.1", .adminProhibited),
                    ("fd71:1::1", .refused), ("fd79::1", .netUnreachable),
                ] {
                    let server = IPAddress(literal: server)
                    let probe = Probe.dns(DNSQuestion("ok.test", .a), server: server, overTCP: overTCP)
                    let observation = await loop.ask(probe)
                    #expect(observation.finding == .failed(.serverUnreachable), "\(server) \(overTCP) \(observation)")
                    #expect(observation.detail == detail.description)
                }
            }
            let probe = Probe.dns(DNSQuestion("a..b", .a), server: Self.servers[0])
            #expect(await loop.ask(probe).finding == .impossible(.invalidName))
        }
    }
}
