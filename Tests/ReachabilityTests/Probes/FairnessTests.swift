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
            let quiet = try await Self.times(probes, loop)
            try #require(quiet.count == probes.count)

            let hostile = try HostileServer(kind, network)
            let question = hostile.probe
            let asking = Task {
                var ends: [Observation] = []
                while !Task.isCancelled {
                    ends.append(await loop.ask(question, timeout: .seconds(1)))
                    try? await Task.sleep(for: .milliseconds(20))
                }
                return ends
            }
            try await Task.sleep(for: .milliseconds(200))
            let beside = try await Self.times(probes, loop)
            let (median, most) = (beside.count / 2, beside.count * 99 / 100)
            let words = [quiet, beside].map { times in
                times.isEmpty
                    ? "none" : "\(times.count): \(times[times.count / 2]) ms, \(times[times.count * 99 / 100]) ms"
            }
            if ProcessInfo.processInfo.environment["LINKCOND_SOAK"] != nil { print("\(kind): \(words)") }
            try #require(beside.count == probes.count, "\(words)")
            // An order of magnitude: the hostile server shares this machine's processors, and the tests are not built for
            // speed.
            #expect(beside[median] < quiet[quiet.count / 2] * 10 + 30, "\(words)")
            #expect(beside[most] < quiet[quiet.count * 99 / 100] * 10 + 100, "\(words)")
            asking.cancel()
            let ends = await asking.value
            // The flood's errors quote the first echo request truly: it may end with one.
            let isQuoted = kind == .echoFlood && ends.first?.finding == .failed(.hostUnreachable)
            let others = ends.dropFirst(isQuoted ? 1 : 0)
            #expect(!others.isEmpty && others.allSatisfy { ($0.answerTime == nil) == (kind != .echoFlood) }, "\(ends)")
            withExtendedLifetime((names, servers, hostile)) {}
        }
    }
}
