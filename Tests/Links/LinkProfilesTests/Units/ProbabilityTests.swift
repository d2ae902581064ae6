// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

@testable import LinkProfiles

@Suite struct ProbabilityTests {
    @Test(arguments: [
        ("0 %", 0), ("0.0 %", 0), ("1 %", 0.01), ("10 %", 0.1), ("12.5%", 0.125), ("0.5 %", 0.005), ("100 %", 1),
        ("100.0 %", 1), ("33.33 %", 0.3333), ("0.0000000001 %", 1e-12),
    ])
    func readsPercent(text: String, fraction: Double) throws {
        #expect(try Probability.parse(text).get().fraction == fraction)
    }

    @Test(arguments: [
        "100.0000000001 %", "101 %", "200 %", "-1 %", "0.1", "10 percent", "10", "10 %%", "0.00000000001 %",
    ])
    func refusesWhatIsNoShare(text: String) {
        #expect(throws: UnreadableQuantity.self) { try Probability.parse(text).get() }
    }

    @Test(arguments: [
        (0.0, "0 %"), (0.005, "0.5 %"), (0.1, "10 %"), (0.3, "30 %"), (1.0 / 3, "33.3333333333 %"), (1, "100 %"),
        (1e-12, "0.0000000001 %"),
    ])
    func printsPercentWithoutNoise(fraction: Double, text: String) {
        #expect("\(Probability(fraction: fraction))" == text)
    }

    @Test func holdsFractionsToZeroAndOne() {
        #expect(Probability(fraction: -0.5) == .zero)
        #expect(Probability(fraction: 1.5) == .one)
        #expect(Probability(fraction: .infinity) == .one)
    }

    @Test func complementsExactly() {
        #expect(Probability(fraction: 0.9).complement == Probability(fraction: 0.1))
        #expect(Probability.zero.complement == .one)
        var generator = SeededGenerator(seed: 2)
        for _ in 0..<1000 {
            let probability = Probability(fraction: .random(in: 0...1, using: &generator))
            #expect(probability.complement.complement == probability)
        }
    }

    @Test func survivesTheWayThroughAFraction() {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<1000 {
            let probability = Probability(fraction: .random(in: 0...1, using: &generator))
            #expect(Probability(fraction: probability.fraction) == probability)
        }
    }

    @Test func comparesBySize() {
        #expect(Probability(fraction: 0.1) < Probability(fraction: 0.2))
        #expect(Probability.zero < .one)
    }
}
