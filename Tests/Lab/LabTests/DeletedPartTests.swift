// SPDX-License-Identifier: Apache-2.0

import LinkConditioning
import LinkProfiles
import TestKit
import Testing

extension LabTests {
    /// Another program deletes one object of a rule that netem carries, or replaces a qdisc.
    @Suite struct DeletedPart {
        struct Part: Sendable {
            let deletion: String
            var profile = "Slow Net"
            /// The lanes that are then missing; without lanes the rule is gone.
            var missing: [Lane]? = []
            /// The lanes that are then not what linkcond made.
            var altered: [Lane] = []
        }

        static let parts = [
            Part(deletion: "ip link del lc2r1u", missing: [.uplink]),
            Part(deletion: "ip link del lc2r1n", missing: [.dns]),
            Part(deletion: "ip link del lc2r1d", missing: [.downlink]),
            Part(deletion: "tc filter del dev DEV egress pref 50097", missing: [.uplink]),
            Part(deletion: "tc filter del dev DEV ingress pref 50098", missing: [.downlink]),
            Part(deletion: "tc qdisc del dev DEV clsact", missing: nil),
            Part(deletion: "rm /run/linkcond/*-2.entry"),
            // The qdiscs of a lane from the outermost to the innermost: splitter, path, the policer's, netem.
            Part(deletion: "tc qdisc del dev lc2r1u root", altered: [.uplink]),
            Part(deletion: "tc qdisc del dev lc2r1u parent 1:1", altered: [.uplink]),
            Part(deletion: "tc qdisc del dev lc2r1u parent 1:1", profile: "Very Bad Network", altered: [.uplink]),
            Part(deletion: "tc qdisc del dev lc2r1d parent 30:1", profile: "Very Bad Network", altered: [.downlink]),
            Part(deletion: "tc filter del dev lc2r1n parent 20: pref 1", altered: [.dns]),
            Part(deletion: "tc qdisc del dev lc2r1d parent 20:1", altered: [.downlink]),
            Part(deletion: "tc qdisc del dev lc2r1u parent 20:1", profile: "Very Bad Network", altered: [.uplink]),
            Part(deletion: "tc qdisc replace dev lc2r1u parent 20:1 handle 99: netem delay 5ms", altered: [.uplink]),
        ]

        @Test(arguments: parts.indices.oneOf(3)) func isToldAndRestored(index: Int) throws {
            let part = Self.parts[index]
            let deletion: Comment = "\(part.deletion), \(part.profile)"
            let hosts = try Hosts()
            let before = try hosts.dump()
            try hosts.apply(part.profile)
            try Shell.check("\(hosts.inside) sh -c '\(part.deletion.replacing("DEV", with: hosts.interface))'")
            for _ in 0..<2 {
                let status = try hosts.linkcond("status --json")
                let report = try #require(try StatusReport(json: JSON(utf8: status.output.utf8)), "\(status)")
                let rules = report.devices.flatMap(\.rules)
                #expect(rules.first?.missing == part.missing, "\(part.deletion): \(status)")
                let altered = rules.flatMap(\.lanes).filter { $0.conditions == nil }.map(\.kind)
                #expect(altered == part.altered, "\(part.deletion): \(status)")
                #expect(report.devices.flatMap(\.leftovers).isEmpty && report.leftovers.isEmpty, deletion)
            }
            #expect(try hosts.linkcond("reset").status == 0)
            #expect(try hosts.dump() == before, deletion)
        }
    }
}
