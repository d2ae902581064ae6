// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization
import TestKit
import Testing

@testable import Netlink
@testable import Probing

/// Counts what belongs to the whole process, so that no two may run at once.
@Suite(.serialized) struct SocketProberTests {
    @Test func asksProbesOfAllKindsInOneBatch() async throws {
        let probes: [Probe] = [
            .http(HTTPQuestion(host: "good.test", port: try Servers.port("200")), .loopback4),
            .tcp(.loopback4, port: try Servers.port("closed")),
            .tls(.loopback4, port: try Servers.port("tls-self"), name: "good.test"),
        ]
        let prober = try Servers.prober()
        let found = Mutex<[Int: Observation]>([:])
        let observations = await withCheckedContinuation { continuation in
            prober.start(batch: probes, timeout: HangLimit.duration) { index, observation in
                let all = found.withLock { found in
                    found[index] = observation
                    return found
                }
                if all.count == probes.count { continuation.resume(returning: all) }
            }
        }
        #expect(observations[0]?.isAnswer == true)
        #expect(observations[1]?.finding == .failed(.refused))
        #expect(observations[2]?.finding == .failed(.tlsUntrusted))
    }

    @Test func saysNothingAfterItsEnd() async throws {
        let prober = try Servers.prober()
        let calls = Atomic(0)
        let port = try Servers.port("silent")
        for wait in [0, 0, 1, 20, 100] {
            let handle = prober.start(.tls(.loopback4, port: port, name: "good.test"), timeout: .seconds(60)) {
                _ in
                calls.add(1, ordering: .relaxed)
            }
            try await Task.sleep(for: .milliseconds(wait))
            handle.cancel()
            handle.cancel()
        }
        // The loop has done all of it by the time that it answers another.
        #expect(try await prober.askWeb("200").isAnswer)
        try await Task.sleep(for: .milliseconds(500))
        #expect(calls.load(ordering: .relaxed) == 0)
    }

    @Test func isNotHarmedByAnEndAfterTheAnswer() async throws {
        let prober = try Servers.prober()
        let port = try Servers.port("200")
        let handle = Mutex<ProbeHandle?>(nil)
        let calls = Atomic(0)
        await withCheckedContinuation { continuation in
            let started = prober.start(
                .http(HTTPQuestion(host: "good.test", port: port), .loopback4),
                timeout: HangLimit.duration
            ) { _ in
                calls.add(1, ordering: .relaxed)
                continuation.resume()
            }
            handle.withLock { $0 = started }
        }
        handle.withLock { $0?.cancel() }
        #expect(try await prober.askWeb("200").isAnswer)
        #expect(calls.load(ordering: .relaxed) == 1)
    }

    @Test(.timeLimit(.minutes(15)))
    func leaksNothingAfterFiveHundredAtOnce() async throws {
        let kinds = [
            "tls-good", "200", "silent", "reset", "closed", "tls-self", "huge", "close", "garbage", "black-hole",
        ]
        // Servers whose ports no other test uses.
        let servers = try Servers(authority: Servers.all.get().authority)
        let ports = try kinds.map(servers.port)
        let prober = try Servers.prober()
        var observations: [(String, Observation)] = []
        var during: Connections.Count?
        await withTaskGroup(of: (String, Observation).self) { group in
            for index in 0..<500 {
                let kind = kinds[index % kinds.count]
                group.addTask {
                    let probe: Probe? = (try? servers.port(kind)).map { port in
                        kind.hasPrefix("tls")
                            ? .tls(.loopback4, port: port, name: "good.test")
                            : .http(HTTPQuestion(host: "good.test", port: port), .loopback4)
                    }
                    guard let probe else { return (kind, Observation(.nothing(.unsupported))) }
                    // Only these two use it up.
                    let timeout = ["silent", "black-hole"].contains(kind) ? Duration.seconds(15) : HangLimit.duration
                    return (kind, await prober.ask(probe, timeout: timeout))
                }
            }
            // The silent ones are still there, or this could not see what is left either.
            _ = await HangLimit.awaits {
                during = try? Connections.count(to: ports)
                return during.map { $0.descriptors >= 50 } ?? false
            }
            for await observation in group { observations.append(observation) }
        }
        #expect(observations.count == 500)
        #expect(try #require(during).descriptors >= 50)
        let odd = observations.filter { kind, observation in
            switch kind {
            case "tls-good", "200", "huge": !observation.isAnswer
            case "silent": observation.finding != .failed(.firstByteTimeout)
            case "reset": observation.finding != .failed(.reset)
            case "closed": observation.finding != .failed(.refused)
            case "tls-self": observation.finding != .failed(.tlsUntrusted)
            case "close": observation.finding != .failed(.closedEarly)
            case "garbage": observation.finding != .failed(.malformed)
            default: observation.finding != .failed(.blackHole)
            }
        }
        #expect(odd.isEmpty, "\(odd.prefix(3))")
        // An answer to one more comes after all before it have been closed.
        #expect(try await prober.askWeb("200").isAnswer)
        #expect(try Connections.count(to: ports) == Connections.Count(descriptors: 0, waiting: 0))
    }

    @Test func startsTheThreadOfSessionsWithTheFirstOfThem() async throws {
        let prober = SocketProber()
        #expect(prober.sessions.withLock { $0 == nil })
        _ = await prober.ask(.icmp(.loopback4))
        #expect(prober.sessions.withLock { $0 == nil })
        _ = try await prober.askWeb("closed")
        #expect(prober.sessions.withLock { $0 != nil })
    }

    @Test func endsItsThreadWithTheProber() async throws {
        let port = try Servers.port("200")
        let thread = await withCheckedContinuation { continuation in
            SocketProber().start(
                .http(HTTPQuestion(host: "good.test", port: port), .loopback4),
                timeout: HangLimit.duration
            ) { _ in
                continuation.resume(returning: Connections.thread)
            }
        }
        #expect(thread.contains("/task/"))
        #expect(await HangLimit.awaits { access("/proc/\(thread)", F_OK) != 0 })
    }
}
