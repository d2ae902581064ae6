// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

extension LabTests {
    /// `linkcond reset` restores the interface.
    @Suite struct Reset {
        private static let tree = """
            tc qdisc add dev DEV root handle 1: htb default 30
            tc class add dev DEV parent 1: classid 1:1 htb rate 100mbit burst 15k
            tc class add dev DEV parent 1:1 classid 1:10 htb rate 30mbit ceil 60mbit
            tc class add dev DEV parent 1:1 classid 1:30 htb rate 10mbit
            tc qdisc add dev DEV parent 1:30 handle 30: fq_codel limit 500 target 7ms interval 90ms ecn
            tc filter add dev DEV parent 1: protocol ip prio 7 u32 match ip dport 80 0xffff flowid 1:10
            ip link set DEV txqueuelen 321 mtu 1400 alias uplink-of-another-program
            """

        private func hostsWithTree() throws -> Hosts {
            let hosts = try Hosts()
            let tree = Self.tree.replacing("DEV", with: hosts.interface)
            try Shell.check("ip netns exec \(hosts.near) sh -e <<'END'\n\(tree)\nEND")
            return hosts
        }

        @Test func leavesANonDefaultTreeAsItWas() throws {
            let hosts = try hostsWithTree()
            let before = try hosts.dump()
            for profile in ["Slow Net", "Black Hole", "Wi-Fi Lossy"] {
                try hosts.apply(profile)
                #expect(try hosts.dump() != before)
                #expect(try hosts.linkcond("reset").status == 0)
                #expect(try hosts.dump() == before)
            }
        }

        @Test func isSafeToRepeat() throws {
            let hosts = try hostsWithTree()
            let before = try hosts.dump()
            for _ in 0..<3 { #expect(try hosts.linkcond("reset -i \(hosts.interface)").status == 0) }
            #expect(try hosts.dump() == before)
        }

        @Test func leavesAHookThatWasThereBefore() throws {
            let hosts = try Hosts()
            try Shell.check("tc -n \(hosts.near) qdisc add dev \(hosts.interface) clsact")
            let before = try hosts.dump()
            try hosts.apply("Slow Net")
            #expect(try hosts.linkcond("reset").status == 0)
            #expect(try hosts.dump() == before)
        }

        /// Objects of other programs that resemble ours.
        @Test func touchesNothingOfOthers() throws {
            let hosts = try Hosts()
            try Shell.check(
                """
                ip netns exec \(hosts.near) sh -e <<'END'
                ip link add lc2r1u type ifb
                ip link set lc2r1u up
                tc qdisc add dev lc2r1u root handle 1: tbf rate 1mbit burst 3000 limit 30000
                ip link add ifb7 type ifb
                ip link set ifb7 alias "linkcond no more"
                END
                """
            )
            let before = try hosts.dump()
            try hosts.apply("Black Hole")
            let refused = try hosts.linkcond("apply 'Slow Net' -i \(hosts.interface)")
            #expect(refused.status == 71 && refused.errors.contains("lc2r1u"))
            #expect(try hosts.linkcond("reset").status == 0)
            #expect(try hosts.dump() == before)
        }

        /// Another process deletes our devices; filters that lead to them would drop packets for good.
        @Test func removesFiltersWhoseIfbIsGone() throws {
            let hosts = try Hosts()
            let before = try hosts.dump()
            try hosts.apply("Slow Net")
            for lane in ["n", "u", "d"] { try Shell.check("ip -n \(hosts.near) link del lc2r1\(lane)") }
            #expect(try hosts.linkcond("status").errors.contains("removed filters whose device is gone"))
            #expect(try hosts.dump() == before)
            #expect(try Ping(from: hosts.near, to: Hosts.farAddress.v4, count: 2, interval: 0.1, wait: 1).received == 2)
        }

        /// Every interface is restored before the first lane is waited for.
        @Test func restoresEveryInterfaceBeforeItWaits() throws {
            let hosts = try Hosts()
            try Shell.check("ip -n \(hosts.near) link add second0 type veth peer name second1")
            try Shell.check("ip -n \(hosts.near) link set second0 up")
            try hosts.apply("", "--uplink \"rate=8 kbit/s\"")
            try hosts.apply("", "--uplink \"loss=100 %\"", interface: "second0")
            let sink = try UDPSocket(in: hosts.far, ipv6: false, port: 7001)
            let source = try UDPSocket(in: hosts.near, ipv6: false, port: 0)
            for _ in 0..<3 { source.send(1400, to: Hosts.farAddress.v4, 7001) }
            let resetting = try RunningCommand(shell: "\(Shell.linkcond) reset --netns \(hosts.near)")
            let filters = "tc -n \(hosts.near) filter show dev \(hosts.interface) egress"
            let isRestored = try HangLimit.waits {
                try Shell.check("\(filters); tc -n \(hosts.near) qdisc show dev second0")
                    == "qdisc noqueue 0: root refcnt 2 \n"
            }
            // Three frames of 1442 bytes take 4.3 s to leave: on a busy machine they may have left first.
            let isWaiting = resetting.isRunning
            #expect(isRestored && resetting.wait() == 0)
            for _ in 0..<3 { #expect(sink.receive(within: 0.2) != nil, "the lane was not waited for") }
            if !isWaiting { try endInconclusively("the lane was empty before both interfaces were restored") }
        }

        @Test func cleansWhatAKilledProcessLeft() throws {
            let hosts = try hostsWithTree()
            let before = try hosts.dump()
            for delay in 1...20 {
                _ = try Shell.run(
                    """
                    timeout -s KILL \(Double(delay) * 0.012) \(Shell.linkcond) apply "Slow Net" \
                    -i \(hosts.interface) --netns \(hosts.near)
                    """
                )
                #expect(try hosts.linkcond("reset").status == 0)
                #expect(try hosts.dump() == before)
            }
        }
    }
}
