// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

extension LabTests {
    /// Another program's classifiers on the same interface.
    @Suite struct ForeignClassifiers {
        private func hostsWithFilter() throws -> Hosts {
            let hosts = try Hosts()
            try Shell.check(
                """
                ip netns exec \(hosts.near) sh -e <<'END'
                tc qdisc add dev \(hosts.interface) clsact
                tc filter add dev \(hosts.interface) egress protocol ip flower dst_ip 10.77.0.2 action pass
                END
                """
            )
            return hosts
        }

        @Test func areNamedInTheRefusal() throws {
            let hosts = try hostsWithFilter()
            let before = try hosts.dump()
            let result = try hosts.linkcond("apply 'Slow Net' -i \(hosts.interface)")
            #expect(result.status == 69)
            #expect(result.errors.contains("flower") && result.errors.contains("--before-foreign"))
            #expect(try hosts.dump() == before)
        }

        @Test func arePrecededOnRequestAndSurvive() throws {
            let hosts = try hostsWithFilter()
            let before = try hosts.dump()
            try hosts.apply("100% Loss", "--before-foreign")
            #expect(try Ping(from: hosts.near, to: Hosts.farAddress.v4, count: 3, interval: 0.1, wait: 1).received == 0)
            #expect(try hosts.linkcond("reset").status == 0)
            #expect(try hosts.dump() == before)
        }

        @Test func surviveAtOurOwnPriority() throws {
            let hosts = try Hosts()
            try hosts.apply("Slow Net")
            try Shell.check(
                """
                tc -n \(hosts.near) filter add dev \(hosts.interface) egress pref 50097 protocol all handle 2 \
                bpf bytecode '1,6 0 0 0' action pass
                """
            )
            #expect(try hosts.linkcond("reset").status == 0)
            let left = try hosts.dump()
            #expect(left.contains("handle 0x2") && !left.contains("handle 0x1 ") && !left.contains("lc2r1"))
        }

        @Test func ingressQdiscTakesADownlinkAndNothingElse() throws {
            let hosts = try Hosts()
            try Shell.check("tc -n \(hosts.near) qdisc add dev \(hosts.interface) ingress")
            let before = try hosts.dump()
            let refused = try hosts.linkcond("apply 'Slow Net' -i \(hosts.interface)")
            #expect(refused.status == 69 && refused.errors.contains("ingress"))
            #expect(try hosts.dump() == before)
            try hosts.apply("Black Hole")
            #expect(try Ping(from: hosts.near, to: Hosts.farAddress.v4, count: 3, interval: 0.1, wait: 1).received == 0)
            #expect(try hosts.linkcond("reset").status == 0)
            #expect(try hosts.dump() == before)
        }
    }
}
