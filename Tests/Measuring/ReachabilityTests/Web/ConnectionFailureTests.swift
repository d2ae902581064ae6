// SPDX-License-Identifier: Apache-2.0

import CLinuxCalls
import Foundation
import Glibc
import TestKit
import Testing

@testable import Netlink
@testable import Probing

@Suite struct ConnectionFailureTests {
    @Test(arguments: [EMFILE, ENFILE, ENOBUFS, ENOMEM, EADDRNOTAVAIL, EAGAIN, EPERM, EIO])
    func neverHoldsLocalTroubleAgainstTheTarget(_ code: Int32) {
        for atOnce in [true, false] {
            let finding =
                atOnce
                ? KernelAnswer.atOnce(code, to: .loopback4) : KernelAnswer.later(code, after: .seconds(1))
            guard case .nothing = finding else {
                Issue.record("\(code)")
                continue
            }
        }
    }

    @Test func tellsOwnRoutesFromRouters() {
        func finding(_ code: Int32, atOnce: Bool, after: Duration) -> Observation.Finding {
            atOnce ? KernelAnswer.atOnce(code, to: .loopback4) : KernelAnswer.later(code, after: after)
        }
        let soon = Duration.milliseconds(1)
        #expect(finding(ENETUNREACH, atOnce: true, after: soon) == .impossible(.noRoute))
        #expect(finding(ENETUNREACH, atOnce: false, after: soon) == .failed(.netUnreachable))
        #expect(finding(EHOSTUNREACH, atOnce: true, after: soon) == .impossible(.routeUnreachable))
        #expect(finding(EHOSTUNREACH, atOnce: false, after: soon) == .failed(.hostUnreachable))
        #expect(finding(EHOSTUNREACH, atOnce: false, after: .seconds(3)) == .failed(.neighbourUnresolved))
        #expect(finding(ETIMEDOUT, atOnce: false, after: .seconds(130)) == .failed(.blackHole))
    }

    /// In a network of its own, which the prober's thread and sockets are part of when it starts there.
    @Test(.enabled(if: geteuid() == 0, "needs root for a network namespace"), .timeLimit(.minutes(10)))
    func asksTheRoutesOfTheNetworkItWasStartedIn() async throws {
        let commands = """
            ip link set lo up
            ip link add one type veth peer name two
            ip link set one up && ip link set two up
            ip address add 198.51.100.1/24 dev one
            ip route add unreachable 192.0.2.1
            ip route add prohibit 192.0.2.2
            ip route add blackhole 192.0.2.3
            """
        let asked = ["192.0.2.1", "192.0.2.2", "192.0.2.3", "203.0.113.1", "198.51.100.9", "127.0.0.1"]
        let findings = try await PrivateNetwork.perform {
            try Shell.check("set -e\n\(commands)")
            let prober = SocketProber()
            let all = DispatchGroup()
            let found = Collected()
            for text in asked {
                guard let address = IPAddress(text) else { continue }
                all.enter()
                prober.start(.http(HTTPQuestion(host: "x.test", port: 80), address), timeout: HangLimit.duration) {
                    found.add(text, $0.finding)
                    all.leave()
                }
            }
            all.wait()
            return found.all
        }
        #expect(
            findings == [
                "192.0.2.1": .impossible(.routeUnreachable), "192.0.2.2": .impossible(.routeProhibited),
                "192.0.2.3": .impossible(.routeBlackhole), "203.0.113.1": .impossible(.noRoute),
                "198.51.100.9": .failed(.neighbourUnresolved), "127.0.0.1": .failed(.refused),
            ]
        )
    }
}

/// What several probes showed.
private final class Collected: @unchecked Sendable {
    private let lock = NSLock()
    private var findings: [String: Observation.Finding] = [:]

    var all: [String: Observation.Finding] { lock.withLock { findings } }

    func add(_ name: String, _ finding: Observation.Finding) {
        lock.withLock { findings[name] = finding }
    }
}
