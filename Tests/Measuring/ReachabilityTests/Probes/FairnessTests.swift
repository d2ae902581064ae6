// SPDX-License-Identifier: Apache-2.0

import Foundation
import Netlink
import Synchronization
import TestKit
import Testing

@testable import Probing

/// One server that never stops sending, beside a thousand honest targets.
@Suite(.enabled(if: ProbeNetwork.isAvailable, ProbeNetwork.need), .serialized) struct FairnessTests {
    /// How long probes took, in milliseconds, from their start until their answer was told; shortest first.
    private typealias Times = [Double]

    /// Hosts that answer pings, connections and queries, and one page.
    private static func honest(_ servers: Servers) throws -> [Probe] {
        let page = HTTPQuestion(host: "good.test", port: try servers.port("200"))
        return try (0..<1000).map { index in
            let address = IPAddress(literal: "10.71.\(4 + index / 250).\(1 + index % 250)")
            return switch index % 10 {
            case 0: .dns(DNSQuestion("ok.test", .a), server: IPAddress(literal: "10.71.2.2"))
            case 1: .http(page, IPAddress(literal: "10.71.2.2"))
            case 2:
                .tls(IPAddress(literal: "10.71.2.2"), port: try servers.port("tls-good"), name: "good.test")
            case 3..<6: .tcp(address, port: 9)
            default: .icmp(address)
            }
        }
    }

    /// Asks all within a second; nil for those that have no answer after `limit`.
    private static func times(_ probes: [Probe], _ loop: ProbeLoop, limit: Duration = .seconds(8)) async throws -> Times
    {
        let found = Mutex<Times>([])
        for batch in 0..<50 {
            let start = ContinuousClock.now
            let part = stride(from: batch, to: probes.count, by: 50).map { probes[$0] }
            loop.start(batch: part, timeout: .seconds(5)) { _, observation in
                guard observation.answerTime != nil || observation.finding == .failed(.refused) else { return }
                found.withLock { $0.append((ContinuousClock.now - start) / .milliseconds(1)) }
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        let deadline = ContinuousClock.now + limit
        while found.withLock(\.count) < probes.count, ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(20))
        }
        return found.withLock { $0.sorted() }
    }

    @Test(arguments: HostileServer.Kind.allCases)
    func answersHonestTargetsAsFastBesideAHostileOne(kind: HostileServer.Kind) async throws {
        try await ProbeNetwork.with { network in
            // One machine for all addresses, without an address of its own for each.
            try Shell.check("ip -n \(network.far) route add local 10.71.4.0/22 dev lo")
            try Shell.check("ip -n \(network.router) route add 10.71.4.0/22 via 10.71.2.2")
            try Shell.check("ip netns exec \(network.far) sysctl -qw net.ipv4.icmp_ratemask=0")
            let names = try FarServers(network)
            let servers = try Servers(authority: Servers.all.get().authority, in: network)
            let probes = try Self.honest(servers)
            let roots = TrustRoots(includesSystem: false, file: servers.authority.roots)
            let loop = network.loop(roots: roots)
            var trials: [Trial] = []
            for _ in 0..<5 where trials.last?.isFair != true {
                trials.append(try await Self.trial(probes, loop, kind, network))
            }
            if Extent.current == .soak { print("\(kind): \(trials)") }
            let isFair = trials.last?.isFair == true
            if isFair || trials.contains(where: { $0.isSteady }) {
                #expect(isFair, "\(trials)")
            } else {
                try endInconclusively("without the hostile server, answers came at different times: \(trials)")
            }
            withExtendedLifetime((names, servers)) {}
        }
    }

    /// How long the answers took, before, beside and after the hostile server.
    private struct Trial: CustomStringConvertible {
        let count: Int
        let before: Times
        let beside: Times
        let after: Times

        /// An order of magnitude: the hostile server shares this machine's processors, and the tests are not built for
        /// speed.
        var isFair: Bool {
            guard [before, beside, after].allSatisfy({ $0.count == count }) else { return false }
            return [(50, 30.0), (99, 100.0)].allSatisfy { percent, more in
                let (one, other) = (Self.time(percent, of: before), Self.time(percent, of: after))
                return Self.time(percent, of: beside) < min(one, other) * 10 + more
            }
        }

        /// Whether the machine was alike before and after.
        var isSteady: Bool {
            guard before.count == count, after.count == count else { return false }
            return [50, 99].allSatisfy { percent in
                let (one, other) = (Self.time(percent, of: before), Self.time(percent, of: after))
                return max(one, other) < min(one, other) * 3 + 30
            }
        }

        private static func time(_ percent: Int, of times: Times) -> Double { times[times.count * percent / 100] }

        var description: String {
            [before, beside, after].map { times in
                times.isEmpty
                    ? "none" : "\(times.count): \(Self.time(50, of: times)) ms, \(Self.time(99, of: times)) ms"
            }.joined(separator: "; ")
        }
    }

    private static func trial(
        _ probes: [Probe],
        _ loop: ProbeLoop,
        _ kind: HostileServer.Kind,
        _ network: ProbeNetwork
    ) async throws -> Trial {
        let before = try await times(probes, loop)
        var hostile: HostileServer? = try HostileServer(kind, network)
        let question = try #require(hostile).probe
        let (first, asked) = AsyncStream.makeStream(of: Void.self)
        let asking = Task {
            var ends: [Observation] = []
            while !Task.isCancelled {
                ends.append(await loop.ask(question, timeout: .seconds(1)))
                asked.yield()
                try? await Task.sleep(for: .milliseconds(20))
            }
            return ends
        }
        // It has been asked, and does not stop.
        _ = await first.first { _ in true }
        let beside = try await times(probes, loop)
        asking.cancel()
        let ends = await asking.value
        hostile = nil
        // The flood's errors quote the first echo request truly: it may end with one.
        let isQuoted = kind == .echoFlood && ends.first?.finding == .failed(.hostUnreachable)
        let others = ends.dropFirst(isQuoted ? 1 : 0)
        let answered = others.count { $0.answerTime != nil }
        if kind == .echoFlood {
            // On a busy machine, some of its answers may come late.
            let late = others.count { $0.finding == .failed(.blackHole) }
            #expect(answered > 0 && answered + late == others.count, "\(ends)")
        } else {
            #expect(!others.isEmpty && answered == 0, "\(ends)")
        }
        return Trial(count: probes.count, before: before, beside: beside, after: try await times(probes, loop))
    }
}
