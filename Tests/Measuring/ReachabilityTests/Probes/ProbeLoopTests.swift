// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import Foundation
import Netlink
import Synchronization
import TestKit
import Testing

@testable import Probing

@Suite(.enabled(if: ProbeNetwork.isAvailable, ProbeNetwork.need)) struct ProbeLoopTests {
    private static let here = IPAddress(literal: "127.0.0.1")
    /// Swallows everything.
    private static let silent = IPAddress(literal: "10.9.0.2")

    /// A loop in a network of its own with a silent target.
    private static func loop(descriptors: Int? = nil) -> ProbeLoop {
        ProbeLoop(descriptors: descriptors) {
            let result = lc_unshare(CInt(lc_network_namespace))
            precondition(result == 0, "no network of its own: errno \(-result)")
            // A child of this thread is in this thread's network.
            let setUp = try? Shell.run(
                """
                ip link set lo up && ip link add v0 type veth peer name v1 && ip link set v0 up && ip link set v1 up \
                && ip addr add 10.9.0.1/24 dev v0 && ip neigh add 10.9.0.2 lladdr 02:00:00:00:00:09 dev v0
                """
            )
            precondition(setUp?.status == 0)
        }
    }

    @Test func saysNothingAfterCancellation() async throws {
        let loop = Self.loop()
        let calls = Atomic(0)
        for _ in 0..<50 {
            for probe in [Probe.icmp(Self.silent), .tcp(Self.silent, port: 9), .udp(Self.silent, port: 9)] {
                let handle = loop.start(probe, timeout: .milliseconds(100)) { _ in
                    calls.add(1, ordering: .relaxed)
                }
                handle.cancel()
                handle.cancel()
            }
        }
        let after = await loop.ask(.tcp(Self.silent, port: 9), timeout: .milliseconds(300))
        #expect(after.finding == .failed(.blackHole))
        #expect(calls.load(ordering: .relaxed) == 0)
    }

    @Test func answersEachProbeOnceFromManyThreads() async {
        let loop = Self.loop()
        let findings = await withTaskGroup(of: Observation.self) { group in
            for index in 0..<2000 {
                group.addTask { await loop.ask(index % 2 == 0 ? .icmp(Self.here) : .tcp(Self.here, port: 9)) }
            }
            return await group.reduce(into: [Bool: Int]()) { $0[$1.finding == .failed(.refused), default: 0] += 1 }
        }
        #expect(findings == [true: 1000, false: 1000])
    }

    @Test func endsWhatIsUnderWayWhenItIsReleased() async {
        let observation = await withCheckedContinuation { continuation in
            let loop = Self.loop()
            loop.start(.tcp(Self.silent, port: 9), timeout: .seconds(60)) { continuation.resume(returning: $0) }
        }
        #expect(observation.finding == .nothing(.stopped))
    }

    @Test func leavesSessionsToALoopWithCertificates() async {
        let tls = Probe.tls(Self.here, port: 443, name: "example.org")
        #expect(await Self.loop().ask(tls).finding == .nothing(.unsupported))
    }

    @Test func letsProbesWaitForDescriptorsWithoutHoldingItAgainstTheirTargets() async {
        let loop = Self.loop(descriptors: 4)
        let (silent, refused) = await withTaskGroup(of: (Bool, Observation.Finding).self) { group in
            for _ in 0..<8 {
                group.addTask {
                    (true, await loop.ask(.tcp(Self.silent, port: 9), timeout: .milliseconds(300)).finding)
                }
            }
            for _ in 0..<40 {
                group.addTask { (false, await loop.ask(.tcp(Self.here, port: 9)).finding) }
            }
            var findings: (silent: [Observation.Finding], refused: [Observation.Finding]) = ([], [])
            for await (isSilent, finding) in group {
                if isSilent { findings.silent.append(finding) } else { findings.refused.append(finding) }
            }
            return findings
        }
        #expect(refused.allSatisfy { $0 == .failed(.refused) })
        #expect(silent.allSatisfy { $0 == .failed(.blackHole) || $0 == .nothing(.resources) })
    }

    @Test func neverBlamesTargetsForDescriptorsThatTheProcessHasNot() async {
        await #expect(processExitsWith: .success) {
            let loop = Self.loop(descriptors: 1000)
            _ = await loop.ask(.icmp(Self.here))
            var limits = rlimit(rlim_cur: 24, rlim_max: 24)
            guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0 else { exit(2) }
            let findings = await withTaskGroup(of: Observation.Finding.self) { group in
                for _ in 0..<100 {
                    group.addTask { await loop.ask(.tcp(Self.silent, port: 9), timeout: .milliseconds(300)).finding }
                }
                return await group.reduce(into: [Observation.Finding: Int]()) { $0[$1, default: 0] += 1 }
            }
            let starved = findings[.nothing(.resources)] ?? 0
            exit(starved > 50 && starved + (findings[.failed(.blackHole)] ?? 0) == 100 ? 0 : 3)
        }
    }

    @Test func raisesTheLimitOfDescriptorsAsFarAsNeeded() async {
        await #expect(processExitsWith: .success) {
            var limits = rlimit(rlim_cur: 200, rlim_max: 4096)
            guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0 else { exit(2) }
            let loop = Self.loop()
            let (findings, continuation) = AsyncStream.makeStream(of: Observation.Finding.self)
            let batch = [Probe](repeating: .tcp(Self.silent, port: 9), count: 300)
            loop.start(batch: batch, timeout: .seconds(1)) { _, observation in continuation.yield(observation.finding) }
            let count = await findings.prefix(300).reduce(0) { $0 + ($1 == .failed(.blackHole) ? 1 : 0) }
            guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0,
                (300..<4096).contains(limits.rlim_cur)
            else { exit(3) }
            exit(count == 300 ? 0 : 4)
        }
    }

    @Test func saysThatItMayNotPing() async {
        await #expect(processExitsWith: .success) {
            let loop = Self.loop()
            guard await loop.ask(.tcp(Self.here, port: 9)).finding == .failed(.refused) else { exit(2) }
            guard setgid(65_534) == 0, setuid(65_534) == 0 else { exit(3) }
            exit(await loop.ask(.icmp(Self.here)).finding == .nothing(.permission) ? 0 : 4)
        }
    }
}
