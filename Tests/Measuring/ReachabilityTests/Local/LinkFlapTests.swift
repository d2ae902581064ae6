// SPDX-License-Identifier: Apache-2.0

import Glibc
import LocalNetwork
import Netlink
import TestKit
import Testing

@testable import Probing

/// No event lost, told twice or out of order, however fast a link flaps. 10 000 flaps in the soak.
///
/// Compared is IFF_UP of the end that is switched, each change of which the kernel tells at once and by itself. The
/// carrier goes through the kernel's link watch, which may tell repeats within a second late, or only their outcome:
/// of it is known that gains and losses take turns, that there are no more of them than changes, and how it ends.
@Suite(.enabled(if: PrivateNetwork.isAvailable, PrivateNetwork.need)) struct LinkFlapTests {
    private static let flaps = Extent.choose(once: 200, all: 500, soak: 10_000)

    @Test(.timeLimit(.minutes(15))) func losesNoFlap() async throws {
        let network = try PrivateNetwork()
        try network.ip(
            """
            link add near type veth peer name far
            link set far up
            address add 192.0.2.1/24 dev near
            """
        )
        let watcher = try network.watcher()
        let log = EventLog(watcher)
        let generator = try LinkFlaps(network, "near")
        let edges = try await Task.detached { try generator.run(count: Self.flaps * 2, gap: .milliseconds(1)) }.value
        #expect(await log.wait { $0.count { $0 == "up near" || $0 == "down near" } >= edges.count })
        // The kernel's word on the carrier comes within a second.
        try await Task.sleep(for: .milliseconds(1500))
        #expect(
            await HangLimit.awaits {
                watcher.state.operationalState(of: "near") == .off
                    && watcher.state.operationalState(of: "far") == .noCarrier
            }
        )
        let told = log.events.filter { ["up near", "down near"].contains($0.change.words) }
        #expect(told.map { $0.change.words == "up near" } == edges.map(\.isUp))
        #expect(log.isGapless)
        #expect(log.missedEvents == 0)
        #expect(!log.words.contains("resynced"))
        for name in ["near", "far"] {
            let carrier = log.words.filter { $0 == "carrier \(name)" || $0 == "no carrier \(name)" }
            #expect(zip(carrier, carrier.dropFirst()).allSatisfy { $0 != $1 })
            #expect(carrier.count <= edges.count)
            #expect(carrier.last == "no carrier \(name)")
        }
        let routes = log.words.filter { $0.hasSuffix("route 192.0.2.0/24") }
        #expect(zip(routes, routes.dropFirst()).allSatisfy { $0 != $1 })
        #expect(watcher.state.operationalState(of: "near") == .off)
        #expect(watcher.state.operationalState(of: "far") == .noCarrier)
        #expect(!watcher.state.routes.contains { $0.family == .ipv4 })
        let delays = zip(told, edges).map { $0.time - $1.time }.sorted()
        let figures = [0.5, 0.99, 1].map { delays[Int(Double(delays.count - 1) * $0)] }
        print("\(edges.count) edges told, \(log.events.count) events; delay p50, p99, max: \(figures)")
    }
}
