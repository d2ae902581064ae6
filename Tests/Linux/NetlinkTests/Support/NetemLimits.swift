// SPDX-License-Identifier: Apache-2.0

import Netlink

/// Emulators at the limits of what profiles can say, by what they are about.
enum NetemLimits {
    static let all: [(name: String, netem: Netem)] = delays + losses + rates + others

    private static let delays: [(String, Netem)] = [
        ("nothing", .with()),
        ("one nanosecond", .with { $0.latency = 1 }),
        ("less than a tick", .with { $0.latency = 63 }),
        ("275 s", .with { $0.latency = 275_000_000_000 }),
        ("one hour", .with { $0.latency = 3_600_000_000_000 }),
        ("the kernel's largest jitter", .with { ($0.latency, $0.jitter) = (275_000_000_000, Int64(Int32.max)) }),
    ]

    private static let losses: [(String, Netem)] = [
        ("no loss", .with { $0.loss = .random(0) }),
        ("90 % lost", .with { $0.loss = .random(.init(percent: 90)) }),
        ("all lost", .with { $0.loss = .random(.max) }),
        ("empty chain", .with { $0.loss = .gilbertElliott(p: 0, r: 0, lossInBad: 0, lossInGood: 0) }),
        ("full chain", .with { $0.loss = .gilbertElliott(p: .max, r: .max, lossInBad: .max, lossInGood: .max) }),
        ("odd chain", .with { $0.loss = .gilbertElliott(p: 1, r: 2, lossInBad: 3, lossInGood: 4) }),
        ("empty states", .with { $0.loss = .fourState(p13: 0, p31: 0, p32: 0, p14: 0, p23: 0) }),
        ("odd states", .with { $0.loss = .fourState(p13: 1, p31: 2, p32: 3, p14: 4, p23: 5) }),
        ("marks for losses", .with { ($0.loss, $0.ecn) = (.random(.init(percent: 10)), true) }),
    ]

    private static let rates: [(String, Netem)] = [
        ("8 bit/s", .with { $0.rate = Netem.Rate(bytesPerSecond: 1) }),
        ("5 Gbit/s", .with { $0.rate = Netem.Rate(bytesPerSecond: 625_000_000) }),
        ("largest 32-bit rate", .with { $0.rate = Netem.Rate(bytesPerSecond: UInt64(UInt32.max)) }),
        ("smallest 64-bit rate", .with { $0.rate = Netem.Rate(bytesPerSecond: 1 << 32) }),
        ("40 Gbit/s", .with { $0.rate = Netem.Rate(bytesPerSecond: 5_000_000_000) }),
        (
            "cells",
            .with { netem in
                netem.rate = Netem.Rate(bytesPerSecond: 4000, packetOverhead: 24, cellSize: 48, cellOverhead: 5)
            }
        ),
        (
            "negative overheads",
            .with { netem in
                netem.rate = Netem.Rate(bytesPerSecond: 4000, packetOverhead: -14, cellSize: 53, cellOverhead: -1)
            }
        ),
    ]

    private static let others: [(String, Netem)] = [
        ("no room", .with(limit: 0)),
        ("all room", .with(limit: .max)),
        ("everything twice and corrupt", .with { ($0.duplicate, $0.corrupt) = (.max, .max) }),
        ("reordering", .with { ($0.latency, $0.reorder, $0.gap) = (10_000_000, .init(percent: 90), 5) }),
        ("smallest seed", .with { $0.seed = 0 }),
        ("largest seed", .with { $0.seed = .max }),
        (
            "everything",
            .with(limit: 7) { netem in
                (netem.latency, netem.jitter) = (275_000_000_000, 20_000_000)
                (netem.loss, netem.ecn) = (.gilbertElliott(p: 1, r: 2, lossInBad: 3, lossInGood: 4), true)
                (netem.duplicate, netem.corrupt) = (5, 6)
                (netem.reorder, netem.gap, netem.seed) = (7, 8, 9)
                netem.rate = Netem.Rate(
                    bytesPerSecond: 5_000_000_000,
                    packetOverhead: 24,
                    cellSize: 48,
                    cellOverhead: 5
                )
            }
        ),
    ]
}
