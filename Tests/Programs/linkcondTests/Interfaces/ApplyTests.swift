// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

/// Refusals before any change. The lab tests what is actually applied.
@Suite(.enabled(if: Kernel.hasNamespaces, "needs network namespaces"))
struct ApplyTests {
    /// Everything that conditioning could have changed.
    private static let dump = "{ ip -d link show; tc qdisc show; tc filter show dev lo egress 2>&1; }"

    /// Runs the program between two dumps and requires them to be the same.
    private static func unchanged(_ arguments: String, setUp: String = "ip link set lo up") throws -> CommandResult {
        let directory = try TemporaryDirectory()
        let outcome = try Program.isolatedShell(
            """
            \(setUp)
            \(dump) > \(directory.path)/before
            "$LINKCOND" \(arguments)
            status=$?
            \(dump) > \(directory.path)/after
            exit $status
            """
        )
        let before = try directory.read("before")
        #expect(before.contains("lo:"))
        #expect(try directory.read("after") == before)
        return outcome
    }

    @Test func missesAnInterface() throws {
        let outcome = try Self.unchanged("apply 'Slow Net' -i nosuch0")
        #expect(outcome.status == 66)
        #expect(outcome.errors.contains("nosuch0: No such device"))
        #expect(outcome.errors.contains("try: -i with one of: lo"))
        #expect(try Program.isolated("status", "-i", "nosuch0").status == 66)
        #expect(try Program.isolated("reset", "-i", "nosuch0").status == 66)
    }

    @Test func namesTheInterfaceThatWasMeant() throws {
        let outcome = try Self.unchanged(
            "apply 'Slow Net' -i pere0",
            setUp: "ip link set lo up; ip link add peer0 type veth peer name far0"
        )
        #expect(outcome.status == 66 && outcome.errors.contains("try: -i peer0; there are: lo, "), "\(outcome)")
    }

    @Test(arguments: ["averyveryverylongname0", "''", "a/b", "..", "'lo '"])
    func missesAnImpossibleInterface(name: String) throws {
        let outcome = try Self.unchanged("apply 'Slow Net' -i \(name)")
        #expect(outcome.status == 66, "\(outcome)")
    }

    @Test func missesANamespace() throws {
        let outcome = try Program.isolated("apply", "Slow Net", "-i", "lo", "--netns", "nosuch")
        #expect(outcome.status == 66)
        #expect(outcome.errors.contains("the network namespace nosuch: No such file or directory"))
        #expect(try Program.isolated("status", "--pid", "2147483646").status == 66)
    }

    @Test(.enabled(if: !Kernel.hasNetem, "needs a kernel without netem"))
    func refusesAKernelWithoutNetem() throws {
        let outcome = try Self.unchanged("apply 'Slow Net' -i lo --engine netem")
        #expect(outcome.status == 69)
        #expect(outcome.errors.contains("this kernel has no netem"))
        #expect(outcome.errors.contains("linkcond doctor"))
        #expect(outcome.output.isEmpty)
    }

    @Test func refusesWhatNetemCannotDoByName() throws {
        let outcome = try Self.unchanged("apply 'Black Hole' -i lo --engine netem")
        #expect(outcome.status == 69)
        #expect(outcome.errors.contains("\"Black Hole\" on lo: uplink and downlink that differ, on loopback"))
    }

    @Test func printsInsteadOfDoingWhereAsked() throws {
        let outcome = try Self.unchanged(
            "apply 'Slow Net' -i peer0 --engine netem --dry-run -v --port 443",
            setUp: "ip link set lo up; ip link add peer0 type veth peer name peer1"
        )
        #expect(outcome.status == 0)
        #expect(outcome.errors.isEmpty)
        #expect(outcome.lines.count { $0.contains("type ifb") } == 3)
        #expect(outcome.lines.contains { $0.contains("traffic={port 443} profile=Slow Net'") })
        #expect(outcome.lines.contains { $0.hasPrefix("tc filter add dev peer0 ingress ") })
    }

    @Test func saysInWordsWhatItWouldDo() throws {
        let outcome = try Self.unchanged(
            "apply 'Slow Net' -i peer0 --engine netem --dry-run --port 443",
            setUp: "ip link set lo up; ip link add peer0 type veth peer name peer1"
        )
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
        #expect(outcome.lines.first == "peer0 would have \"Slow Net\", for traffic on port 443")
        #expect(outcome.lines.contains("  uplink    100 ms delay, 32 kbit/s"), "\(outcome)")
        #expect(outcome.lines.contains("  engine    netem"), "\(outcome)")
        #expect(!outcome.output.contains("bytecode") && outcome.lines.count < 10, "\(outcome)")
    }

    @Test(.enabled(if: Kernel.isRoot, "needs root, to become nobody"))
    func refusesWithoutPrivilege() throws {
        let directory = try TemporaryDirectory()
        try Program.copy(to: "\(directory.path)/linkcond")
        let outcome = try Program.isolatedShell(
            """
            setpriv --reuid 65534 --regid 65534 --clear-groups \(directory.path)/linkcond apply 'Slow Net' -i lo
            """
        )
        #expect(outcome.status == 77, "\(outcome)")
        #expect(outcome.errors.contains("CAP_NET_ADMIN"))
        #expect(outcome.errors.contains("try: sudo linkcond"))
    }
}
