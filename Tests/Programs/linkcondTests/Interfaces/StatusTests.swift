// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

/// Status without conditions.
@Suite(.enabled(if: Kernel.hasNamespaces, "needs network namespaces"))
struct StatusTests {
    @Test(arguments: ["status", "reset"])
    func findsNothing(command: String) throws {
        let outcome = try Program.isolated(command)
        #expect(outcome.status == 0)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors == "nothing is conditioned\n")
    }

    @Test func printsJSON() throws {
        let outcome = try Program.isolated("status", "--json")
        #expect(outcome.status == 0)
        let object = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
        #expect((object?["devices"] as? [Any])?.isEmpty == true)
    }

    @Test func resetsABareInterfaceAsOftenAsWanted() throws {
        let outcome = try Program.isolatedShell("\"$LINKCOND\" reset -i lo && \"$LINKCOND\" reset -i lo --now")
        #expect(outcome.status == 0)
        #expect(outcome.errors == "lo has no conditions\nlo has no conditions\n")
    }

    @Test func switchesNothing() throws {
        let outcome = try Program.isolated("switch", "Slow Net")
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("nothing is conditioned"))
        #expect(outcome.errors.contains("try: linkcond apply PROFILE -i DEV"))
        #expect(try Program.isolated("switch", "Slow Net", "-i", "lo").errors.contains("nothing is conditioned on lo"))
    }

    @Test func leavesOtherPeoplesIfbsAlone() throws {
        let outcome = try Program.isolatedShell(
            """
            ip link add lc1r1u type ifb && ip link set lc1r1u alias 'my own' up && ip link add ifb7 type ifb || exit 99
            "$LINKCOND" reset && ip link show lc1r1u && ip link show ifb7
            """
        )
        #expect(outcome.status == 0)
        #expect(outcome.errors == "nothing is conditioned\n")
    }

    @Test func clearsWhatAKilledProcessLeft() throws {
        let steps = try TemporaryDirectory()
        // All of a plan up to its filters, for which the process did not live long enough.
        let outcome = try Program.isolatedShell(
            """
            "$LINKCOND" apply 'Slow Net' -i lo --dry-run -v | grep -v netem | sed '/filter/,$d' > \(steps.path)/steps
            . \(steps.path)/steps
            "$LINKCOND" status && ip -o link show && tc qdisc show
            """
        )
        #expect(outcome.status == 0)
        #expect(outcome.errors.contains("note: repaired lo: removed lanes that an interrupted command left\n"))
        #expect(!outcome.output.contains("lc1r1"))
        #expect(!outcome.output.contains("clsact"))
        #expect(outcome.output.contains("mtu 65536"))
    }
}
