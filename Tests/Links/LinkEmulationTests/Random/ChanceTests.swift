// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import Testing

@testable import LinkEmulation

@Suite struct ChanceTests {
    @Test func knowsCertaintyAndImpossibility() {
        #expect(Chance(Probability.one).hits(.max))
        #expect(!Chance(Probability.zero).hits(0))
        #expect(!Chance(nil as Probability?).isPossible)
    }

    @Test func isExactToTheLastChance() {
        let chances = UInt64(1) << Chance.bits
        #expect(Chance(Probability(fraction: 0.5)).threshold == chances / 2)
        #expect(Chance(Probability(fraction: 1e-12)).threshold == 9007)
        let tenth = Chance(Probability(percent: 10))
        #expect(tenth.hits((tenth.threshold - 1) << 11 | 2047))
        #expect(!tenth.hits(tenth.threshold << 11))
    }

    @Test func neverAddsUpToMoreThanCertainty() {
        let maximum = Chance(Probability(percent: 80))
        #expect(maximum.or(maximum).hits(.max))
        #expect(maximum.or(maximum).threshold == UInt64(1) << Chance.bits)
    }
}
