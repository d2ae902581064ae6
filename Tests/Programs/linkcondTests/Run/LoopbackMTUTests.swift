// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

/// What a sandbox's loopback carries in one packet.
@Suite(.enabled(if: Kernel.canPump && Kernel.isRoot, "needs root, and /dev/net/tun"))
struct LoopbackMTUTests {
    private func look(_ figures: [String], switchingTo words: [String] = []) throws -> [Substring] {
        let client = Script("loopback-mtu.py").command(words)
        let arguments = [Program.path, "run", "--offline", "--engine", "userspace"] + figures + ["--"] + client
        let outcome = try Program.start(arguments)
        #expect(outcome.status == 0, "\(outcome)")
        return outcome.output.split(separator: "\n")
    }

    private static let delayed = ["--downlink", "delay=5 ms", "--uplink", "delay=5 ms"]

    @Test func isTheLargestThatTheEngineCarriesWhereNothingCountsPackets() throws {
        #expect(try look(Self.delayed) == ["65521 whole large True"])
    }

    @Test(arguments: [["3G"], ["--uplink", "loss=1 %"], ["DNS Down"]])
    func isThatOfMostLinksWhereSomethingDoes(figures: [String]) throws {
        #expect(try look(figures).first?.hasPrefix("1500 whole small False") == true)
    }

    /// A connection that was open before goes on in small packets, also when nothing needs them any more.
    @Test func shrinksOnceWithAConnectionOpen() throws {
        let files = try TemporaryDirectory()
        let text = #"{"name": "Delay", "downlink": {"delay": "5 ms"}}"#
        let delay = try files.write("delay.json", text).path
        let seen = try look(Self.delayed, switchingTo: [delay, "Wi-Fi", delay])
        let (large, small): (Substring, Substring) = ("65521 whole large True", "1500 whole small False")
        #expect(seen == [large, large, small, small])
    }

    /// A step that waits for bytes sees them as they are on a wire.
    @Test func isSmallForAStepThatWaitsForBytes() throws {
        let files = try TemporaryDirectory()
        let text = """
            {"name": "Bytes", "profile": {"name": "Plain", "uplink": {"delay": "1 ms"}}, "steps": [
                {"label": "later", "after": {"bytes": "1 GB"}, "profile": "3G"}]}
            """
        let scenario = try files.write("bytes.json", text).path
        #expect(try look(["--scenario", scenario]).first?.hasPrefix("1500") == true)
    }

    /// A server can listen at its port, however many clients there are.
    @Test func keepsServersPortsFree() throws {
        let command = "cat /proc/sys/net/ipv4/ip_local_reserved_ports"
        let outcome = try Program.start([Program.path, "run", "--offline", "Wi-Fi", "--", "sh", "-c", command])
        #expect(outcome.output.contains("61613-61614,61616"), "\(outcome)")
    }
}
