// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

extension LabTests {
    /// What a sandbox must not reach.
    @Suite struct UplinkIsolation {
        /// The host's loopback by every address that could stand for it: the sandbox's own, and those at which
        /// slirp4netns and pasta have host and resolver.
        private static let doors = [
            "127.0.0.1", "127.0.0.53", "::1", "10.0.2.2", "10.0.2.3", "fd00::2", "fd00::3", "169.254.1.1",
        ].map { "\($0)/7001" }

        @Test(arguments: Road.allCases)
        func hostsLoopbackIsOutOfReach(_ road: Road) throws {
            let outside = try Outside()
            let listener = try RunningCommand(shell: "ip netns exec \(outside.host) \(Knocking.listening(at: 7001))")
            #expect(listener.nextLine() == "ready")
            let output = try outside.check("-- \(Knocking.line(Self.doors))", over: road)
            for (door, answer) in zip(Self.doors, try output.decoded(as: [Knocking.Answer].self)) {
                #expect(answer.tcp != "connected" && answer.udp != "answered", "\(door)")
            }
            // Who comes from the host itself is the first whom it has seen.
            let doors = ["127.0.0.1/7001"]
            let own = try Shell.check("ip netns exec \(outside.host) \(Knocking.line(doors))")
            #expect(try own.decoded(as: [Knocking.Answer].self).map(\.tcp) == ["connected"])
            #expect(Set([listener.nextLine(), listener.nextLine()]) == ["tcp", "udp"])
            listener.send(9)
            #expect(listener.waitForOutput().isEmpty)
        }

        @Test(arguments: Caller.allCases)
        func offlineThereIsLoopbackOnly(_ caller: Caller) throws {
            let command = Shell.quoted("ls /sys/class/net; ip route; ip -6 route show default")
            #expect(try caller.check("--offline -- sh -c \(command)") == "lo\n")
        }
    }
}
