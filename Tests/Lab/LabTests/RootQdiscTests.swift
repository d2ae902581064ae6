// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestKit
import Testing

extension LabTests {
    /// netem as the root qdisc of an interface, where the kernel cannot redirect packets to lanes.
    @Suite(.enabled(if: Kernel.isLab, "unloads modules: lab only"))
    struct RootQdisc {
        private static let uplink = "--uplink 'delay=50 ms,rate=100 Mbit/s'"

        private func delays(_ hosts: Hosts) throws -> [Double] {
            try hosts.onNear("ping -n -c 4 -i 0.05 \(Hosts.farAddress.v4)").lines.compactMap { line in
                line.split(separator: "time=").dropFirst().first
                    .flatMap { Double($0.prefix { $0.isNumber || $0 == "." }) }
            }
        }

        @Test(arguments: [KernelModule.mirred, .ifb])
        func conditionsTheUplinkAndIsRemoved(_ module: KernelModule) throws {
            let hosts = try Hosts()
            let before = try hosts.dump()
            try module.missing {
                let applied = try hosts.linkcond("apply -i \(hosts.interface) --engine netem \(Self.uplink)")
                #expect(
                    applied.status == 0 && applied.errors.contains("root qdisc of \(hosts.interface)"),
                    "\(applied)"
                )
                #expect(applied.errors.contains("counts packets"), "\(applied)")
                #expect(
                    try Shell.check("tc -n \(hosts.near) qdisc").contains("qdisc tbf 4c43: dev \(hosts.interface) root")
                )
                // Address resolution has the delay too.
                try Measurements.settle {
                    let times = try delays(hosts)
                    #expect(times.count >= 4)
                    return try Measurements.fault("least of \(times)", times.min() ?? 0, in: 50...75)
                }
                let status = try hosts.linkcond("status")
                #expect(status.output.contains("\(hosts.interface): ") && status.output.contains("netem"), "\(status)")
                #expect(!status.output.contains("no packet has matched"), "\(status)")
                // The other way is free.
                let switched = try hosts.linkcond("switch LTE")
                #expect(switched.status == 69 && switched.errors.contains("linkcond reset"), "\(switched)")
                #expect(try hosts.linkcond("off").status == 0 && hosts.dump() == before)
                #expect(try hosts.linkcond("on").status == 0 && delays(hosts).first ?? 0 >= 50)
                #expect(try hosts.linkcond("reset").status == 0)
                #expect(try hosts.dump() == before)
            }
        }

        @Test func isChosenIfNoEngineCanRedirect() throws {
            let hosts = try Hosts()
            let before = try hosts.dump()
            try KernelModule.mirred.missing {
                let refused = try hosts.linkcond("apply 'Slow Net' -i \(hosts.interface)")
                #expect(refused.status == 69 && refused.errors.contains("not the dns and the downlink"), "\(refused)")
                let selected = try hosts.linkcond("apply -i \(hosts.interface) \(Self.uplink) --port 443")
                #expect(selected.status == 69 && selected.errors.contains("not traffic on port 443"), "\(selected)")
                #expect(try hosts.dump() == before)
                let pinging = "ping -q -n -c 3 -i 0.05 \(Hosts.farAddress.v4)"
                let run = try Shell.linkcond(
                    "run --netns \(hosts.near) -i \(hosts.interface) \(Self.uplink) -- \(pinging)"
                )
                #expect(run.status == 0 && run.output.contains("3 received"), "\(run)")
                #expect(try hosts.dump() == before)
                let doctor = try Shell.linkcond("doctor")
                #expect(doctor.output.contains("only for the uplink of an interface, as its root qdisc"), "\(doctor)")
            }
        }

        @Test func replacesNoRootQdiscOfOthers() throws {
            let hosts = try Hosts()
            try Shell.check("tc -n \(hosts.near) qdisc add dev \(hosts.interface) root handle 7: pfifo limit 100")
            let before = try hosts.dump()
            try KernelModule.mirred.missing {
                let refused = try hosts.linkcond("apply -i \(hosts.interface) \(Self.uplink)")
                #expect(refused.status == 69 && refused.errors.contains("pfifo 7:"), "\(refused)")
            }
            #expect(try hosts.dump() == before)
        }

        @Test func losesNoPacketWhenItIsRemoved() throws {
            let hosts = try Hosts()
            try KernelModule.mirred.missing {
                let applied = try hosts.linkcond("apply -i \(hosts.interface) --uplink 'delay=800 ms'")
                #expect(applied.status == 0, "\(applied)")
                let pinging = try RunningCommand(
                    shell: "ip netns exec \(hosts.near) ping -q -n -i 0.01 -W 60 -c 200 \(Hosts.farAddress.v4)"
                )
                Thread.sleep(forTimeInterval: 1)
                #expect(try hosts.linkcond("reset").status == 0)
                let output = pinging.waitForOutput()
                #expect(output.contains("200 packets transmitted, 200 received"), "\(output)")
            }
        }

        @Test func endsWithItsGuardian() throws {
            let hosts = try Hosts()
            let before = try hosts.dump()
            try KernelModule.mirred.missing {
                let start = now()
                #expect(try hosts.linkcond("apply -i \(hosts.interface) \(Self.uplink) --for 5s").status == 0)
                let isThere = { try Shell.check("tc -n \(hosts.near) qdisc").contains("4c43:") }
                let wasThere = try isThere()
                #expect(wasThere || now() - start > 5)
                #expect(try HangLimit.waits { try !isThere() })
                #expect(now() - start > 4.9)
                #expect(try hosts.dump() == before)
            }
        }

        /// Without its record, too.
        @Test func isRemovedWithoutAJournal() throws {
            let hosts = try Hosts()
            let before = try hosts.dump()
            try KernelModule.mirred.missing {
                #expect(try hosts.linkcond("apply -i \(hosts.interface) \(Self.uplink)").status == 0)
                try Shell.check("rm -rf /run/linkcond")
                let status = try hosts.linkcond("status")
                #expect(status.status == 0 && status.output.contains(hosts.interface), "\(status)")
                #expect(try hosts.linkcond("reset").status == 0)
                #expect(try hosts.dump() == before)
            }
        }
    }
}
