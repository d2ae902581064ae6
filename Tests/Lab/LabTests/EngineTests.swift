// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

extension LabTests {
    /// Both engines on one interface, on a kernel that has netem.
    @Suite struct Engines {
        /// LTE is 65 ms up and 50 ms down; packets that were taken by one engine are not conditioned by the other.
        @Test func changesUnderAPingWithoutLoss() throws {
            let hosts = try Hosts()
            let before = try hosts.dump()
            try Measurements.settle { try faultWhileItChanges(hosts) }
            #expect(try hosts.dump() == before)
        }

        private func faultWhileItChanges(_ hosts: Hosts) throws -> String? {
            try hosts.apply("LTE", "--engine netem")
            let pinging = try RunningCommand(
                shell:
                    "ip netns exec \(hosts.near) ping -n -i 0.02 -c 300 -W 60 \(Hosts.farAddress.v4)"
            )
            for round in 0..<6 {
                let engine = round % 2 == 0 ? "userspace" : "netem"
                let result = try hosts.linkcond("switch LTE --engine \(engine)")
                #expect(result.status == 0, "\(result)")
                #expect(try hosts.linkcond("status").output.contains("LTE (rule 1, \(engine)"))
            }
            let ping = pinging.waitForOutput()
            #expect(ping.contains("300 packets transmitted, 300 received"), "\(ping.suffix(300))")
            let times = try Ping(reading: ping).times
            // A busy machine makes some of them late, and none early.
            #expect(times.allSatisfy { $0 >= 115 }, "\(times.min() ?? 0)")
            let sorted = times.sorted()
            #expect(try hosts.linkcond("reset").status == 0)
            let isInTime = sorted.count == 300 && sorted[150] < 130 && sorted[270] < 200
            return isInTime ? nil : "\(sorted.count) times, median \(sorted[150]), nine of ten \(sorted[270])"
        }

        /// Overlapping rules of two engines: the more specific one has both directions of its traffic, and nothing is
        /// conditioned twice.
        @Test func worksBesideTheOther() throws {
            let hosts = try Hosts()
            let before = try hosts.dump()
            for (first, second) in [("netem", "userspace"), ("userspace", "netem")] {
                try hosts.apply("LTE", "--engine \(first)")
                try hosts.apply("", "--uplink 'delay=30 ms' --protocol icmp --engine \(second)")
                try Measurements.settle {
                    try Ping(from: hosts.near, to: Hosts.farAddress.v4, count: 5, interval: 0.1).fault(first, 30...50)
                }
                #expect(try hosts.linkcond("reset").status == 0)
                #expect(try hosts.dump() == before)
            }
        }

        /// netem is used if it can do what the profile needs; otherwise the userspace engine is, with a note.
        @Test func choosesByWhatTheProfileNeeds() throws {
            let hosts = try Hosts()
            try hosts.apply("LTE")
            #expect(try hosts.linkcond("status").output.contains("LTE (rule 1, netem"))
            let stepped = #"{"name": "S", "schedule": {"steps": [{"at": "0 s", "uplink": {"delay": "5 ms"}}]}}"#
            let line = "echo '\(stepped)' | \(Shell.linkcond) apply -v - -i \(hosts.interface) --netns \(hosts.near)"
            let result = try Shell.run(line)
            #expect(result.status == 0 && result.errors.contains("using the userspace engine"), "\(result)")
            #expect(try hosts.linkcond("status").output.contains("(rule 1, userspace"))
            // A rule keeps its engine.
            #expect(try hosts.linkcond("switch LTE").status == 0)
            #expect(try hosts.linkcond("status").output.contains("LTE (rule 1, userspace"))
            #expect(try hosts.linkcond("reset").status == 0)
        }
    }
}
