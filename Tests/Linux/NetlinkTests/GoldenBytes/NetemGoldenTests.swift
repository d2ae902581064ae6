// SPDX-License-Identifier: Apache-2.0

import CNetlink
import Testing

@testable import Netlink

@Suite struct NetemGoldenTests {
    /// Each option set that scripts/lab/record-golden has tc send, in our own terms.
    static let recorded: [String: Netem] = [
        "nothing": .with(),
        "limit": .with(limit: .max),
        "delay-100ms": .with { $0.latency = 100_000_000 },
        "delay-1us": .with { $0.latency = 1000 },
        "delay-274877ms": .with { $0.latency = 274_877_000_000 },
        "jitter": .with { ($0.latency, $0.jitter) = (100_000_000, 20_000_000) },
        "distribution": .with { netem in
            (netem.latency, netem.jitter) = (100_000_000, 20_000_000)
            netem.distribution = shortTable
        },
        "loss-0": .with { $0.loss = .random(0) },
        "loss-90": .with { $0.loss = .random(.init(percent: 90)) },
        "loss-100": .with { $0.loss = .random(.max) },
        "gemodel": .with { $0.loss = chain },
        // Defaults of tc: r is 1 - p, and all packets are lost in the bad state.
        "gemodel-bernoulli": .with { netem in
            let p = Netem.Fraction(percent: 5)
            netem.loss = .gilbertElliott(p: p, r: ~p, lossInBad: .max, lossInGood: 0)
        },
        "gemodel-limits": .with { $0.loss = .gilbertElliott(p: .max, r: .max, lossInBad: .max, lossInGood: 0) },
        "state-1": .with { netem in
            let p13 = Netem.Fraction(percent: 2)
            netem.loss = .fourState(p13: p13, p31: ~p13, p32: 0, p14: 0, p23: .max)
        },
        "state-3": .with { netem in
            netem.loss = .fourState(
                p13: .init(percent: 2),
                p31: .init(percent: 20),
                p32: .init(percent: 40),
                p14: 0,
                p23: .max
            )
        },
        "state-5": .with { netem in
            netem.loss = .fourState(
                p13: .init(percent: 2),
                p31: .init(percent: 20),
                p32: .init(percent: 40),
                p14: .init(percent: 1),
                p23: .init(percent: 60)
            )
        },
        "reorder": .with { ($0.latency, $0.reorder, $0.gap) = (10_000_000, .init(percent: 25), 5) },
        "reorder-each": .with { ($0.latency, $0.reorder, $0.gap) = (10_000_000, .init(percent: 25), 1) },
        "duplicate": .with { $0.duplicate = .init(percent: 1) },
        "corrupt": .with { $0.corrupt = .init(percent: 0.5) },
        "rate-8bit": .with { $0.rate = Netem.Rate(bytesPerSecond: 1) },
        "rate-32kbit": .with { $0.rate = Netem.Rate(bytesPerSecond: 4000) },
        "rate-5gbit": .with { $0.rate = Netem.Rate(bytesPerSecond: 625_000_000) },
        "rate-40gbit": .with { $0.rate = Netem.Rate(bytesPerSecond: 5_000_000_000) },
        "rate-cells": .with { netem in
            netem.rate = Netem.Rate(bytesPerSecond: 625_000, packetOverhead: 24, cellSize: 48, cellOverhead: 5)
        },
        "rate-negative-overhead": .with { $0.rate = Netem.Rate(bytesPerSecond: 625_000, packetOverhead: -14) },
        "ecn": .with { ($0.loss, $0.ecn) = (.random(.init(percent: 10)), true) },
        "everything": .with(limit: 5000) { netem in
            (netem.latency, netem.jitter, netem.distribution) = (100_000_000, 20_000_000, shortTable)
            (netem.loss, netem.ecn) = (chain, true)
            (netem.duplicate, netem.corrupt) = (.init(percent: 2), .init(percent: 3))
            (netem.reorder, netem.gap) = (.init(percent: 25), 5)
            netem.rate = Netem.Rate(
                bytesPerSecond: 625_000_000,
                packetOverhead: 24,
                cellSize: 48,
                cellOverhead: 5
            )
        },
    ]

    private static let shortTable: [Int16] = [-8192, -4096, -1, 0, 1, 4096, 8192, 32767]
    private static let chain = Netem.Loss.gilbertElliott(
        p: .init(percent: 1),
        r: .init(percent: 10),
        lossInBad: .init(percent: 70),
        lossInGood: .init(percent: 0.1)
    )

    /// Attributes that the program always sends, because a change keeps missing ones (netem_change in net/sched/sch_netem.c).
    private static let alwaysSent = Set(
        ["CORR", "REORDER", "CORRUPT", "RATE", "RATE64", "ECN", "SLOT"].map { "TCA_OPTIONS/TCA_NETEM_" + $0 }
    )

    @Test(arguments: recorded.keys.sorted()) func sendsEveryAttributeThatTcSends(_ name: String) throws {
        let netem = try #require(Self.recorded[name])
        let recorded = try MessageParts(GoldenMessage.bytes("netem-" + name)).values
        try expectSame(
            Qdisc(link: 10, parent: .root, handle: Handle(0x10), kind: .netem(netem)).add(on: "lane"),
            as: "netem-" + name,
            zeros: Self.alwaysSent.subtracting(recorded.keys),
            // tc up to 6.1 sends ticks of 64 ns alone. The 64-bit fields say the same in full, and override them.
            additions: [
                "TCA_OPTIONS/TCA_NETEM_LATENCY64": bytes(of: netem.latency),
                "TCA_OPTIONS/TCA_NETEM_JITTER64": bytes(of: netem.jitter),
            ]
        )
    }

    @Test func deletesAsTcDoes() throws {
        let qdisc = Qdisc(link: 10, parent: .root, handle: Handle(0x10), kind: .netem(Netem(limit: 1000)))
        try expectSame(qdisc.delete(from: "lane"), as: "netem-delete")
    }

    /// tc 6.1 refuses a longer delay ("Illegal 275000000 time"), so there is nothing to compare with.
    @Test func fillsTheOldFieldsWhereADelayNeeds64Bits() throws {
        let netem = Netem.with { ($0.latency, $0.jitter) = (275_000_000_000, 3_600_000_000_000) }
        let request = Qdisc(link: 10, parent: .root, handle: Handle(0x10), kind: .netem(netem)).add(on: "lane")
        let parts = try MessageParts(request.bytes).values
        #expect(parts["TCA_OPTIONS/latency"] == [0xFF, 0xFF, 0xFF, 0xFF])
        #expect(parts["TCA_OPTIONS/jitter"] == [0xFF, 0xFF, 0xFF, 0xFF])
        #expect(parts["TCA_OPTIONS/TCA_NETEM_LATENCY64"] == bytes(of: Int64(275_000_000_000)))
        #expect(parts["TCA_OPTIONS/TCA_NETEM_JITTER64"] == bytes(of: Int64(3_600_000_000_000)))
    }

    @Test func sendsASeedOnlyWhereThereIsOne() throws {
        let seeded = Netem.with { $0.seed = 0x0123_4567_89AB_CDEF }
        for (netem, seed) in [(Netem.with(), nil), (seeded, bytes(of: 0x0123_4567_89AB_CDEF as UInt64))] {
            let request = Qdisc(link: 10, parent: .root, handle: Handle(0x10), kind: .netem(netem)).add(on: "lane")
            #expect(try MessageParts(request.bytes).values["TCA_OPTIONS/TCA_NETEM_PRNG_SEED"] == seed)
        }
    }
}
