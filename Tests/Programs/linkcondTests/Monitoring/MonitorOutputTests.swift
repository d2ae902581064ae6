// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

/// A monitor whose output nobody reads.
@Suite(.enabled(if: Kernel.hasNamespaces, "needs the right to make namespaces"))
struct MonitorOutputTests {
    /// Runs a monitor of a hundred targets with a hundred probes a second each, into a pipe that is read only after
    /// `lines`; `$pid` is the monitor's.
    private static func shell(_ options: String, _ lines: String) throws -> CommandResult {
        let targets = (1...100).map { "icmp://127.0.0.\($0)" }.joined(separator: " ")
        let directory = try TemporaryDirectory()
        return try Program.start(
            Program.namespace + [
                "/bin/bash", "-c",
                """
                cd \(directory.path); mkfifo pipe
                ip link set lo up; sysctl -qw net.ipv4.ping_group_range='0 2147483647'
                exec 3<>pipe
                $LINKCOND monitor \(options) --interval 10ms \(targets) >&3 & pid=$!
                memory() { awk '/VmRSS/ { print int($2 / 1024) }' /proc/$pid/status; }
                \(lines)
                """,
            ]
        )
    }

    @Test(arguments: ["INT", "TERM", "HUP"])
    func endsOnASignal(signal: String) throws {
        let outcome = try Self.shell(
            "--json --samples",
            "sleep 2; kill -\(signal) $pid; wait $pid; echo status $?"
        )
        #expect(outcome.lines.first == "status 0", "\(outcome)")
    }

    @Test func keepsABoundedAmountAndTellsWhatItDropped() throws {
        let outcome = try Self.shell(
            "--json --samples",
            """
            sleep 4; echo memory $(memory); sleep 6; echo memory $(memory)
            timeout 3 cat <&3 >text; kill $pid
            grep -c '"event": "sample"' text; grep '"event": "dropped"' text
            """
        )
        let sizes = outcome.output.matches(of: /memory (\d+)/).compactMap { Int($0.1) }
        try #require(sizes.count == 2, "\(outcome)")
        #expect(sizes[1] - sizes[0] < 20, "\(outcome)")
        let counts = outcome.output.matches(of: /"event": "dropped", "count": (\d+)/).compactMap { Int($0.1) }
        #expect(counts.reduce(0, +) > 1000, "\(outcome.output)")
    }
}
