// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

extension LabTests {
    /// What a sandbox must not reach.
    @Suite struct UplinkIsolation {
        /// The addresses that could lead to the host's loopback: the sandbox's own loopback, and those of the router and of
        /// the host's resolver.
        private static let endpoints = [
            "127.0.0.1", "127.0.0.53", "::1", "10.0.2.2", "10.0.2.3", "fd00::2", "fd00::3", "169.254.1.1",
        ].map { "\($0)/7001" }

        @Test(arguments: Caller.allCases)
        func hostsLoopbackIsOutOfReach(_ caller: Caller) throws {
            let outside = try Outside()
            let listener = try RunningCommand(shell: "ip netns exec \(outside.host) \(PortCheck.listener(at: 7001))")
            #expect(listener.nextLine() == "ready")
            let output = try outside.check("-- \(PortCheck.line(Self.endpoints))", as: caller)
            for (endpoint, answer) in zip(Self.endpoints, try output.decoded(as: [PortCheck.Answer].self)) {
                #expect(answer.tcp != "connected" && answer.udp != "answered", "\(endpoint)")
            }
            // The first client that the listener has seen is the one on the host itself.
            let endpoints = ["127.0.0.1/7001"]
            let own = try Shell.check("ip netns exec \(outside.host) \(PortCheck.line(endpoints, mustAnswer: true))")
            #expect(try own.decoded(as: [PortCheck.Answer].self).map(\.tcp) == ["connected"])
            #expect(Set([listener.nextLine(), listener.nextLine()]) == ["tcp", "udp"])
            listener.send(9)
            #expect(listener.waitForOutput().isEmpty)
        }

        @Test(arguments: Caller.allCases)
        func offlineSandboxHasOnlyLoopback(_ caller: Caller) throws {
            let command = Shell.quoted("ls /sys/class/net; ip route; ip -6 route show default")
            #expect(try caller.check("--offline -- sh -c \(command)") == "lo\n")
        }
    }
}
