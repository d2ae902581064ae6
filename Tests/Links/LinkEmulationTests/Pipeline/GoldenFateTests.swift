// SPDX-License-Identifier: Apache-2.0

import LinkEmulation
import LinkProfiles
import Testing

/// The results of a seed, which must never change, since users repeat runs by their seed.
@Suite struct GoldenFateTests {
    private static func conditions(_ loss: LossModel, _ jitter: Jitter.Distribution, ordered: Bool) -> LaneConditions {
        var impairments = Impairments()
        impairments.rate = BitRate(bitsPerSecond: 7_654_321)
        impairments.delay = .milliseconds(40)
        impairments.jitter = Jitter(amount: .milliseconds(9), distribution: jitter, ordered: ordered)
        impairments.loss = loss
        impairments.duplicate = Probability(percent: 3)
        impairments.corrupt = Probability(percent: 4)
        impairments.reorder = Reorder(probability: Probability(percent: 6), gap: 3)
        impairments.queue = .packets(12)
        impairments.overhead = Overhead(packet: 4)
        return LaneConditions(impairments)
    }

    /// FNV-1a, 64 bits, over the fields of all departures.
    private static func fingerprint(_ departures: [Departure]) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for departure in departures {
            let words: [UInt64] = [
                UInt64(departure.tag), UInt64(departure.nanoseconds), UInt64(departure.copy),
                departure.isMarked ? 1 : 0, UInt64(departure.corruptedBit ?? .max),
                UInt64(departure.drop.map { UInt8($0.counter) } ?? .max),
            ]
            for word in words {
                for shift in stride(from: 0, to: 64, by: 8) {
                    hash = (hash ^ (word >> UInt64(shift) & 255)) &* 0x100_0000_01B3
                }
            }
        }
        return hash
    }

    /// Links with the loss models and the distributions of jitter.
    static func conditions() throws -> [LaneConditions] {
        let burst = try #require(GilbertElliott(loss: Probability(percent: 8), burst: 3))
        let four = FourState(
            p13: Probability(percent: 3),
            p31: Probability(percent: 40),
            p32: Probability(percent: 20),
            p23: Probability(percent: 50),
            p14: Probability(percent: 1)
        )
        return [
            conditions(.random(Probability(percent: 5)), .uniform, ordered: true),
            conditions(.gilbertElliott(burst), .normal, ordered: false),
            conditions(.fourState(four), .pareto, ordered: true),
            conditions(.fourState(four), .paretonormal, ordered: false),
        ]
    }

    @Test func keepsTheFatesOfASeed() throws {
        let fingerprints: [UInt64] = [
            0x9463_DD80_E22D_E76F, 0xD93C_2069_58E6_F3C7, 0x351D_B5FE_0E7A_D933, 0x7C4E_E6A0_BC40_5018,
        ]
        for (conditions, fingerprint) in zip(try Self.conditions(), fingerprints) {
            let fates = Run(conditions).with {
                $0.packets = 5000
                $0.gap = 1_600_000
                $0.seed = 20_120_611
                $0.lane = 2
            }.fates
            #expect(Self.fingerprint(fates) == fingerprint)
        }
    }

    @Test func keepsTheFirstFatesOfASeed() {
        let conditions = Self.conditions(.random(Probability(percent: 20)), .uniform, ordered: false)
        let fates = Run(conditions).with {
            $0.packets = 8
            $0.seed = 7
        }.fates
        let lines = fates.map { departure in
            let fate = departure.drop.map { "\($0)" } ?? "sent"
            return "\(departure.tag).\(departure.copy) \(fate) \(departure.nanoseconds)"
        }
        let expected = [
            "0.0 randomLoss 0", "4.0 randomLoss 4000000", "2.0 sent 36357049", "3.0 sent 38237065",
            "5.0 sent 39823620", "7.0 sent 47319359", "6.0 sent 48905914", "1.0 sent 50492469",
        ]
        #expect(lines == expected)
    }
}
