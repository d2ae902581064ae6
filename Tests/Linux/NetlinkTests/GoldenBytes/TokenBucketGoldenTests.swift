// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Netlink

@Suite struct TokenBucketGoldenTests {
    /// Each rate that scripts/lab/record-golden has tc send, in bytes a second.
    static let recorded: [String: UInt64] = [
        "tbf-32kbit": 4000, "tbf-30gbit": 3_750_000_000, "tbf-40gbit": 5_000_000_000,
    ]

    private static let exceptions = [
        // tbf_change looks at the table only where the link layer is unknown; ours says Ethernet, as tc does.
        "TCA_OPTIONS/TCA_TBF_RTAB": "ignored since Linux 3.8 (tbf_change in net/sched/sch_tbf.c)",
        // The two that describe the table's steps.
        "TCA_OPTIONS/TCA_TBF_PARMS/rate.cell_log":
            "not read by psched_ratecfg_precompute (net/sched/sch_generic.c)",
        "TCA_OPTIONS/TCA_TBF_PARMS/rate.cell_align":
            "not read by psched_ratecfg_precompute (net/sched/sch_generic.c)",
        // tc rounds to microseconds first and down, ours up.
        "TCA_OPTIONS/TCA_TBF_PARMS/buffer":
            "overridden by TCA_TBF_BURST, which both send (tbf_change in net/sched/sch_tbf.c)",
    ]

    @Test(arguments: recorded.keys.sorted()) func sendsEveryAttributeThatTcSends(_ name: String) throws {
        let bucket = TokenBucket(bytesPerSecond: try #require(Self.recorded[name]), burst: 1522, limit: 1522)
        let isLarge = bucket.bytesPerSecond > UInt64(UInt32.max)
        try expectSame(
            Qdisc(link: 10, parent: .root, handle: Handle(1), kind: .tokenBucket(bucket)).add(on: "lane"),
            as: name,
            // Where the rate fits 32 bits tc leaves it out, and the kernel takes it for zero.
            zeros: isLarge ? [] : ["TCA_OPTIONS/TCA_TBF_RATE64"],
            exceptions: Self.exceptions
        )
    }
}
