// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

/// What --dry-run prints is what ip(8) and tc(8) understand.
@Suite(.enabled(if: Kernel.hasNamespaces, "needs network namespaces"))
struct DryRunTests {
    /// Has the printed commands done, but for those that need netem where the kernel has none, and dumps what became of
    /// it.
    private static func dump(_ arguments: String) throws -> CommandResult {
        let directory = try TemporaryDirectory()
        let passOver = Kernel.hasNetem ? "cat" : "grep -vE ' (netem|prio) |action police'"
        return try Program.isolatedShell(
            """
            set -e
            ip link add peer0 type veth peer name peer1
            "$LINKCOND" apply \(arguments) -i peer0 --engine netem --dry-run -v > \(directory.path)/all
            \(passOver) < \(directory.path)/all > \(directory.path)/steps
            . \(directory.path)/steps
            ip -d link show
            tc qdisc show
            tc filter show dev peer0 egress
            tc filter show dev peer0 ingress
            "$LINKCOND" status
            """
        )
    }

    @Test func printsCommandsThatCanBeDone() throws {
        let outcome = try Self.dump("'Slow Net' --to 2001:db8::/32 --exclude 'port 22'")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.isEmpty, "\(outcome.errors)")
        for words in [
            "qdisc clsact ffff: dev peer0", "qdisc tbf 1: dev lc", "Egress Redirect to device lc", "pref 50072 bpf",
        ] {
            #expect(outcome.output.contains(words), "\(words)")
        }
        // The program itself knows them again.
        #expect(
            outcome.output.contains("peer0: Slow Net (rule 1, traffic to 2001:db8::/32 except on port 22, netem, since")
        )
    }

    @Test func undoesThemByReset() throws {
        let outcome = try Program.isolatedShell(
            """
            ip link add peer0 type veth peer name peer1
            "$LINKCOND" apply 'Slow Net' -i peer0 --dry-run -v | grep -v netem | sh
            "$LINKCOND" reset 2>&1
            ip link show; tc qdisc show
            """
        )
        #expect(outcome.status == 0)
        #expect(outcome.output.contains("restored peer0: removed \"Slow Net\""))
        #expect(!outcome.output.contains("ifb") && !outcome.output.contains("clsact"))
    }

    @Test func holdsTheLongestNamesOfProfiles() throws {
        let directory = try TemporaryDirectory()
        let name = String(repeating: "x", count: 100)
        try directory.write("long.json", "{\"name\": \"\(name)\", \"uplink\": {\"delay\": \"1 ms\"}}")
        let selectors =
            "--to 2001:db8:1111:2222:3333:4444:5555:6666 --to 2001:db8:1111:2222:3333:4444:5555:7777 --port 40000"
        let outcome = try Self.dump("\(directory.path)/long.json \(selectors)")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("port 40000} profile=xxxx"))
    }
}
