// SPDX-License-Identifier: Apache-2.0

import Foundation
import Netlink
import Synchronization
import TestKit
import Testing

@testable import Probing

@Suite(.enabled(if: ProbeNetwork.isAvailable, ProbeNetwork.need)) struct ResolverTests {
    /// Files of a resolver's own.
    private final class Files {
        private let folder = FileManager.default.temporaryDirectory.appending(path: "names-\(UUID())")
        var hosts: String { folder.appending(path: "hosts").path }
        var configuration: String { folder.appending(path: "resolv.conf").path }

        init(hosts: String = "", configuration: String) throws {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try hosts.write(toFile: self.hosts, atomically: true, encoding: .utf8)
            try write(configuration)
        }

        deinit { try? FileManager.default.removeItem(at: folder) }

        func write(_ text: String) throws { try text.write(toFile: configuration, atomically: true, encoding: .utf8) }

        func resolver(_ loop: ProbeLoop) -> Resolver {
            Resolver(loop, hosts: hosts, configuration: configuration, port: 53)
        }
    }

    private func resolve(_ name: String, _ resolver: Resolver, within timeout: Duration = HangLimit.duration) async
        -> Resolution
    {
        await withCheckedContinuation { continuation in
            resolver.resolve(name, timeout: timeout) { continuation.resume(returning: $0) }
        }
    }

    @Test func sendsNoQueryForWhatItKnows() async throws {
        let files = try Files(hosts: "192.0.2.5 printer", configuration: "nameserver 192.0.2.1")
        struct NoProber: Prober {
            func start(
                batch _: [Probe],
                timeout _: Duration,
                done _: @escaping @Sendable (Int, Observation) -> Void
            ) -> ProbeHandle {
                Issue.record("asked")
                return ProbeHandle {}
            }
        }
        let resolver = Resolver(NoProber(), hosts: files.hosts, configuration: files.configuration, port: 53)
        for (name, addresses) in [
            ("192.0.2.7", ["192.0.2.7"]), ("2001:db8::7", ["2001:db8::7"]), ("PRINTER", ["192.0.2.5"]),
            ("localhost", ["127.0.0.1", "::1"]), ("db.localhost.", ["127.0.0.1", "::1"]),
        ] {
            #expect(await resolve(name, resolver).addresses == addresses.map { IPAddress(literal: $0) })
        }
    }

    @Test func givesAddressesOfBothFamiliesOrTheReason() async throws {
        try await ProbeNetwork.with { network in
            let servers = try FarServers(network)
            let files = try Files(configuration: "nameserver 10.71.2.2\nsearch test")
            let resolver = files.resolver(network.loop())
            let both = await resolve("ok", resolver)
            #expect(both.addresses == ["192.0.2.1", "2001:db8::1"].map { IPAddress(literal: $0) })
            #expect(both.timeToLive == .seconds(30))
            let four = await resolve("four.test", resolver)
            #expect(four.addresses == [IPAddress(literal: "192.0.2.1")])
            #expect(four.reasons == [.ipv6: .nodata])
            for (name, reason) in [
                ("nx.test", Reason.nxdomain), ("empty.test", .nodata), ("servfail.test", .servfail),
                ("refused.test", .queryRefused),
            ] {
                #expect(await resolve(name, resolver).reason == reason)
            }
            #expect(await resolve("silent.test", resolver, within: .milliseconds(300)).reason == .queryTimeout)
            withExtendedLifetime(servers) {}
        }
    }

    @Test func passesAServerThatFailsAndNoticesANewFile() async throws {
        try await ProbeNetwork.with { network in
            let servers = try FarServers(network)
            let files = try Files(configuration: "nameserver 10.71.1.1")
            let resolver = files.resolver(network.loop())
            #expect(await resolve("ok.test", resolver).reason == .serverUnreachable)
            try files.write("nameserver 10.71.1.1\nnameserver 10.71.2.2")
            #expect(await resolve("ok.test", resolver).addresses.count == 2)
            withExtendedLifetime(servers) {}
        }
    }

    @Test func aSilentServerDelaysNoOtherLookup() async throws {
        try await ProbeNetwork.with { network in
            let servers = try FarServers(network)
            let files = try Files(configuration: "nameserver 10.71.2.2\noptions timeout:30 attempts:5")
            let loop = network.loop()
            let resolver = files.resolver(loop)
            let ended = Atomic(0)
            let silent = (0..<20).map { _ in
                resolver.resolve("silent.test", timeout: .seconds(600)) { _ in ended.add(1, ordering: .relaxed) }
            }
            let answered = Atomic(0)
            let left = Atomic(100)
            // Counted where the answers come, since a task may wait long for a thread.
            let endedMeanwhile = await withCheckedContinuation { (all: CheckedContinuation<Int, Never>) in
                @Sendable func count(_ isAnswered: Bool) {
                    if isAnswered { answered.add(1, ordering: .relaxed) }
                    guard left.subtract(1, ordering: .relaxed).newValue == 0 else { return }
                    all.resume(returning: ended.load(ordering: .relaxed))
                }
                for _ in 0..<50 {
                    resolver.resolve("ok.test", timeout: HangLimit.duration) { count($0.addresses.count == 2) }
                    loop.start(.tcp(IPAddress(literal: "10.71.2.2"), port: 7001), timeout: HangLimit.duration) {
                        count($0.answerTime != nil)
                    }
                }
            }
            #expect(answered.load(ordering: .relaxed) == 100)
            #expect(endedMeanwhile == 0)
            for handle in silent { handle.cancel() }
            withExtendedLifetime(servers) {}
        }
    }

    @Test func saysNothingAfterCancellation() async throws {
        try await ProbeNetwork.with { network in
            let servers = try FarServers(network)
            let files = try Files(configuration: "nameserver 10.71.2.2")
            let resolver = files.resolver(network.loop())
            let handle = resolver.resolve("silent.test", timeout: .milliseconds(100)) { _ in Issue.record("called") }
            handle.cancel()
            #expect(await resolve("silent.test", resolver, within: .milliseconds(300)).reason == .queryTimeout)
            withExtendedLifetime(servers) {}
        }
    }
}
