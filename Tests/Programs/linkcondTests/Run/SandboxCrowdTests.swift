// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

/// Many sandboxes at once, each with a pump of its own and nothing but probes in it.
@Suite(.enabled(if: Kernel.canPump && Kernel.isRoot, "needs root, and /dev/net/tun"), .serialized)
struct SandboxCrowdTests {
    private static let sandboxes = 24

    /// All of them wait until all are there, and one without conditions, to tell what ping and the machine take.
    private static let script = """
        cd "$DIRECTORY"
        probe='touch "$DIRECTORY/ready.$NAME"
            until [ -e "$DIRECTORY/go" ]; do sleep 0.05; done
            exec ping -n -c 30 -i 0.2 -W 30 127.0.0.1'
        NAME=control "$LINKCOND" run --offline -- sh -c "$probe" >control &
        for number in $(seq $COUNT); do
            NAME=$number "$LINKCOND" run --offline --engine userspace --uplink 'delay=20 ms' --downlink 'delay=20 ms' \
                -- sh -c "$probe" >$number &
        done
        until [ $(ls ready.* 2>/dev/null | wc -l) -eq $((COUNT + 1)) ]; do sleep 0.05; done
        touch go
        wait
        """

    /// Median times in milliseconds, of the conditioned sandboxes and of the one that is not.
    private static func medians() throws -> (conditioned: [Double], control: Double) {
        let files = try TemporaryDirectory()
        let outcome = try Program.start(
            ["/bin/bash", "-c", script],
            variables: ["DIRECTORY": files.path, "COUNT": "\(sandboxes)"]
        )
        try outcome.requireSuccess()
        let medians = try (["control"] + (1...sandboxes).map(String.init)).map { name in
            let lines = try files.read(name).split(separator: "\n")
            let times = lines.compactMap { line in
                line.split(separator: "time=").dropFirst().first.flatMap { Double($0.prefix { $0 != " " }) }
            }
            guard times.count == 30 else { throw TestFailure("\(name): \(lines.suffix(3))") }
            return times.sorted()[15]
        }
        return (Array(medians.dropFirst()), medians[0])
    }

    /// Twice the tolerance of a single sandbox (0.5 ms or 1 %) about two delays of 20 ms and what a ping takes.
    @Test func twoDozenKeepTheirDelays() throws {
        try Measurements.settle {
            let (conditioned, control) = try Self.medians()
            let worst = conditioned.map { $0 - 40 - control }.max { abs($0) < abs($1) } ?? .infinity
            let figures = String(
                format: "worst median %+.3f ms off the model; %.3f ms without conditions",
                worst,
                control
            )
            print("\(Self.sandboxes) sandboxes: \(figures)")
            return abs(worst) <= 1 ? nil : figures
        }
    }
}
