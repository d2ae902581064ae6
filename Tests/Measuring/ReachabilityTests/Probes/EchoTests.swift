// SPDX-License-Identifier: Apache-2.0

import Netlink
import Synchronization
import TestKit
import Testing

@testable import Probing

@Suite(.enabled(if: ProbeNetwork.isAvailable, ProbeNetwork.need)) struct EchoTests {
    private static func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

    @Test func ignoresSecondAndForgedAnswersAndHoldsLateOnesAgainstTheirOwnProbe() async throws {
        try await ProbeNetwork.with { network in
            let servers = try FarServers(network, answersOddly: true)
            let loop = network.loop()
            let forged = Probe.icmp(try Self.address("10.71.2.6"))
            let before = try network.echoReplies()
            for _ in 0..<3 {
                #expect(await loop.ask(forged, timeout: .milliseconds(400)).finding == .failed(.blackHole))
            }
            // They come, and the loop took none of them for an answer.
            #expect(try await HangLimit.awaits { try network.echoReplies() >= before + 3 })
            #expect(try network.echoReplies() == before + 3)

            #expect(await loop.ask(.icmp(try Self.address("10.71.2.3"))).answerTime != nil)

            // The answer to the first comes while the second is under way, which then has none of its own in time.
            let late = Probe.icmp(try Self.address("10.71.2.4"))
            #expect(await loop.ask(late, timeout: .milliseconds(400)).finding == .failed(.blackHole))
            #expect(await loop.ask(late, timeout: .milliseconds(400)).finding == .failed(.blackHole))

            #expect(await loop.ask(.icmp(try Self.address("10.71.2.3"))).answerTime != nil)
            withExtendedLifetime(servers) {}
        }
    }

    @Test func understandsErrorsThatQuoteTheHeaderOnly() async throws {
        try await ProbeNetwork.with { network in
            let servers = try FarServers(network, answersOddly: true)
            let observation = await network.loop().ask(.icmp(try Self.address("10.71.2.5")))
            #expect(observation.finding == .failed(.hostUnreachable))
            #expect(observation.icmp == Observation.ICMPError(type: 3, code: 1))
            withExtendedLifetime(servers) {}
        }
    }

    @Test func keepsMoreProbesApartThanThereAreSequenceNumbers() async throws {
        try await ProbeNetwork.with { network in
            let silent = Probe.icmp(try Self.address("10.74.0.1"))
            let forbidden = Probe.icmp(try Self.address("10.77.0.1"))
            let answering = Probe.icmp(try Self.address("10.71.2.2"))
            let probes = (0..<70_000).map { $0 % 100 == 0 ? answering : $0 % 100 == 1 ? forbidden : silent }
            let loop = network.loop()
            // As much time as the machine needs for so many: where it is short, answers come too late.
            var wrong = await Self.wrong(probes, loop, timeout: .seconds(8))
            for timeout in [32, 128] where Set(wrong.keys) == ["0 \(Observation.Finding.failed(.blackHole))"] {
                wrong = await Self.wrong(probes, loop, timeout: .seconds(timeout))
            }
            #expect(wrong == [:])
        }
    }

    /// Asks all at once; how many show what they should not, by their number below a hundred and what they show.
    private static func wrong(_ probes: [Probe], _ loop: ProbeLoop, timeout: Duration) async -> [String: Int] {
        let wrong = Mutex<[String: Int]>([:])
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        loop.start(batch: probes, timeout: timeout) { place, observation in
            let isRight =
                switch place % 100 {
                case 0: observation.answerTime != nil
                case 1: observation.finding == .impossible(.routeProhibited)
                default: observation.finding == .failed(.blackHole)
                }
            if !isRight { wrong.withLock { $0["\(place % 100) \(observation.finding)", default: 0] += 1 } }
            continuation.yield()
        }
        var count = 0
        for await _ in stream {
            count += 1
            if count == probes.count { break }
        }
        return wrong.withLock { $0 }
    }

    @Test func measuresLoopbackInBothFamiliesOverOneLoop() async throws {
        try await ProbeNetwork.with { network in
            let loop = network.loop()
            for text in ["127.0.0.1", "127.4.5.6", "::1"] {
                let probe = Probe.icmp(try Self.address(text))
                let times = try await loop.quickest(of: probe, below: .milliseconds(100)) { observation in
                    #expect(observation.hopLimit == 64)
                    return observation.answerTime
                }
                #expect(times < .milliseconds(100))
            }
        }
    }
}
