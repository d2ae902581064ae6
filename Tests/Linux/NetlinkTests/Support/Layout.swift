// SPDX-License-Identifier: Apache-2.0

import CNetlink

/// The layout of a message or an attribute: fixed fields, then attributes.
struct Layout: Sendable {
    struct Field: Sendable {
        let name: String
        let size: Int
    }

    var fields: [Field] = []
    var attributes: [Int: (name: String, layout: Layout)] = [:]

    /// A payload that is looked at as a whole.
    static let bytes = Layout()

    /// Fields as "name:size name:size".
    init(_ fields: String = "", _ attributes: [Int: (name: String, layout: Layout)] = [:]) {
        self.fields = fields.split(separator: " ").map { field in
            let parts = field.split(separator: ":")
            return Field(name: String(parts[0]), size: Int(parts[1]) ?? 0)
        }
        self.attributes = attributes
    }
}

extension Layout {
    static let header = Layout("length:4 type:2 flags:2 sequence:4 port:4")

    static func trafficControl(kind: String) -> Layout {
        let options: Layout =
            switch kind {
            case "netem": netem
            case "tbf": tokenBucket
            case "prio": Layout("bands:4 priomap:16", [TCA_OPTIONS: ("TCA_OPTIONS", .bytes)])
            case "bpf": bpf
            default: .bytes
            }
        return Layout(
            "family:1 padding:3 ifindex:4 handle:4 parent:4 info:4",
            [TCA_KIND: ("TCA_KIND", .bytes), TCA_OPTIONS: ("TCA_OPTIONS", options)]
        )
    }

    private static let netem = Layout(
        "latency:4 limit:4 loss:4 gap:4 duplicate:4 jitter:4",
        [
            TCA_NETEM_CORR: ("TCA_NETEM_CORR", .bytes),
            TCA_NETEM_DELAY_DIST: ("TCA_NETEM_DELAY_DIST", .bytes),
            TCA_NETEM_REORDER: ("TCA_NETEM_REORDER", .bytes),
            TCA_NETEM_CORRUPT: ("TCA_NETEM_CORRUPT", .bytes),
            TCA_NETEM_LOSS: (
                "TCA_NETEM_LOSS",
                Layout("", [NETEM_LOSS_GI: ("NETEM_LOSS_GI", .bytes), NETEM_LOSS_GE: ("NETEM_LOSS_GE", .bytes)])
            ),
            TCA_NETEM_RATE: ("TCA_NETEM_RATE", .bytes),
            TCA_NETEM_ECN: ("TCA_NETEM_ECN", .bytes),
            TCA_NETEM_RATE64: ("TCA_NETEM_RATE64", .bytes),
            TCA_NETEM_LATENCY64: ("TCA_NETEM_LATENCY64", .bytes),
            TCA_NETEM_JITTER64: ("TCA_NETEM_JITTER64", .bytes),
            TCA_NETEM_SLOT: ("TCA_NETEM_SLOT", .bytes),
            Int(LC_TCA_NETEM_PRNG_SEED): ("TCA_NETEM_PRNG_SEED", .bytes),
        ]
    )

    private static let tokenBucket = Layout(
        "",
        [
            TCA_TBF_PARMS: (
                "TCA_TBF_PARMS",
                Layout(rates + "limit:4 buffer:4 mtu:4")
            ),
            TCA_TBF_RTAB: ("TCA_TBF_RTAB", .bytes),
            TCA_TBF_RATE64: ("TCA_TBF_RATE64", .bytes),
            TCA_TBF_BURST: ("TCA_TBF_BURST", .bytes),
        ]
    )

    private static let bpf = Layout(
        "",
        [
            TCA_BPF_ACT: ("TCA_BPF_ACT", Layout("", [1: ("1", action)])),
            TCA_BPF_OPS_LEN: ("TCA_BPF_OPS_LEN", .bytes),
            TCA_BPF_OPS: ("TCA_BPF_OPS", .bytes),
            TCA_BPF_FLAGS_GEN: ("TCA_BPF_FLAGS_GEN", .bytes),
        ]
    )

    private static let action = Layout(
        "",
        [
            TCA_ACT_KIND: ("TCA_ACT_KIND", .bytes),
            // By the kind: actionOptions.
            TCA_ACT_OPTIONS: ("TCA_ACT_OPTIONS", .bytes),
            TCA_ACT_COOKIE: ("TCA_ACT_COOKIE", .bytes),
        ]
    )

    static func actionOptions(kind: String) -> Layout {
        kind == "police" ? policer : Layout("", [TCA_MIRRED_PARMS: ("TCA_MIRRED_PARMS", .bytes)])
    }

    private static let policer = Layout(
        "",
        [
            Int(TCA_POLICE_TBF): (
                "TCA_POLICE_TBF",
                Layout("index:4 action:4 limit:4 burst:4 mtu:4 " + rates + "refcnt:4 bindcnt:4 capab:4")
            ),
            Int(TCA_POLICE_RATE): ("TCA_POLICE_RATE", .bytes),
            Int(TCA_POLICE_RESULT): ("TCA_POLICE_RESULT", .bytes),
            Int(TCA_POLICE_RATE64): ("TCA_POLICE_RATE64", .bytes),
        ]
    )

    /// Two `struct tc_ratespec`.
    private static let rates = ["rate", "peakrate"].map {
        "\($0).cell_log:1 \($0).linklayer:1 \($0).overhead:2 \($0).cell_align:2 \($0).mpu:2 \($0).rate:4 "
    }.joined()
}

extension Layout {
    static let link = Layout(
        "family:1 padding:1 type:2 index:4 flags:4 change:4",
        [
            Int(IFLA_IFNAME): ("IFLA_IFNAME", .bytes),
            Int(IFLA_MTU): ("IFLA_MTU", .bytes),
            Int(IFLA_TXQLEN): ("IFLA_TXQLEN", .bytes),
            Int(IFLA_IFALIAS): ("IFLA_IFALIAS", .bytes),
            Int(IFLA_LINKINFO): (
                "IFLA_LINKINFO",
                Layout("", [Int(IFLA_INFO_KIND): ("IFLA_INFO_KIND", .bytes)])
            ),
            Int(IFLA_AF_SPEC): ("IFLA_AF_SPEC", Layout("", [10: ("AF_INET6", internet)])),
        ]
    )

    private static let internet = Layout(
        "",
        [Int(IFLA_INET6_ADDR_GEN_MODE): ("IFLA_INET6_ADDR_GEN_MODE", .bytes)]
    )
}
