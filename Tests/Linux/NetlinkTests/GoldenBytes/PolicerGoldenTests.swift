// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Netlink

@Suite struct PolicerGoldenTests {
    /// Each policer that scripts/lab/record-golden has tc send.
    static let recorded = [
        "police-32kbit": Policer(bytesPerSecond: 4000, burst: 94_625_000),
        "police-cells": Policer(bytesPerSecond: 625_000, packetOverhead: 24, usesATMCells: true, burst: 1_562_500),
        "police-40gbit": Policer(bytesPerSecond: 5_000_000_000, burst: 15_625),
    ]

    private static let options = "TCA_OPTIONS/TCA_BPF_ACT/1/TCA_ACT_OPTIONS/"

    @Test(arguments: recorded.keys.sorted()) func addsAPolicerAsTcDoes(_ name: String) throws {
        let policer = try #require(Self.recorded[name])
        try expectSame(
            policer.add(to: Handle(0x20), of: 10, on: "lane"),
            as: name,
            // tc leaves out that a packet within the rate passes, and the kernel takes its absence for that.
            zeros: [Self.options + "TCA_POLICE_RESULT"],
            exceptions: [
                // qdisc_get_rtab looks at the table only where the link layer is unknown; ours says it, as tc does.
                Self.options + "TCA_POLICE_RATE": "ignored since Linux 3.8 (qdisc_get_rtab in net/sched/sch_api.c)",
                Self.options + "TCA_POLICE_TBF/rate.cell_align":
                    "not read by psched_ratecfg_precompute (net/sched/sch_generic.c)",
            ]
        )
    }

    @Test func makesTheBandsAsTcDoes() throws {
        let bands = QdiscKind.priorityBands(PriorityBands())
        try expectSame(
            Qdisc(link: 10, parent: .root, handle: Handle(0x20), kind: bands).add(on: "lane"),
            as: "prio-add",
            exceptions: ["TCA_OPTIONS/TCA_OPTIONS": "prio_tune reads the structure alone (net/sched/sch_prio.c)"]
        )
    }
}
