// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

@testable import LinkProfiles

@Suite struct FourStateTests {
    private static func chain(
        _ p13: Double,
        _ p31: Double? = nil,
        _ p32: Double? = nil,
        _ p23: Double? = nil,
        _ p14: Double? = nil
    ) -> FourState {
        let probability: (Double?) -> Probability? = { $0.map { Probability(fraction: $0) } }
        return FourState(
            p13: Probability(fraction: p13),
            p31: probability(p31),
            p32: probability(p32),
            p23: probability(p23),
            p14: probability(p14)
        )
    }

    @Test func takesTheDefaultsOfTheManual() {
        let chain = Self.chain(0.01)
        #expect(chain == Self.chain(0.01, 0.99, 0, 1, 0))
        #expect(chain.meanLoss == 0.01 / 0.99 / (1 + 0.01 / 0.99))
    }

    /// One packet after the other through the states 1 (gap), 2 (burst), 3 (lost in burst), 4 (lost alone).
    private func sample(_ chain: FourState, seed: UInt64) -> LossSample {
        var generator = SeededGenerator(seed: seed)
        var state = 1
        return LossSample {
            let dice = Double.random(in: 0..<1, using: &generator)
            switch state {
            case 1:
                let gap = chain.p13.fraction + chain.p14.fraction
                state = dice < chain.p13.fraction ? 3 : dice < gap ? 4 : 1
            case 2: state = dice < chain.p23.fraction ? 3 : 2
            case 3:
                let left = chain.p31.fraction + chain.p32.fraction
                state = dice < chain.p31.fraction ? 1 : dice < left ? 2 : 3
            default: state = 1
            }
            return state == 3 || state == 4
        }
    }

    @Test(arguments: [
        chain(0.01), chain(0.05, 0.3), chain(0.02, 0.4, 0.3, 0.5), chain(0.02, 0.4, 0.3, 0.5, 0.01),
        chain(0.1, 0.6, 0.4, 0.3, 0.05), chain(0, 1, 0, 1, 0.03),
    ])
    func agreesWithASimulatedChain(chain: FourState) {
        let sample = sample(chain, seed: 8)
        #expect(abs(sample.mean - chain.meanLoss) < 4 * sample.standardError, "\(sample.mean), not \(chain.meanLoss)")
        #expect(sample.standardError < chain.meanLoss / 20)
    }

    @Test func knowsWhereAChainEnds() {
        #expect(Self.chain(0).meanLoss == 0)
        // Never back to the gap, and received within the burst two times of five.
        #expect(abs(Self.chain(0.01, 0, 0.2, 0.3).meanLoss - 0.6) < 1e-12)
        #expect(Self.chain(0.01, 0, 0).meanLoss == 1)
        #expect(Self.chain(1).meanLoss == 1)
        #expect(Self.chain(0.01, 0.5, 0.5, 0).meanLoss < 1e-12)
        #expect(Self.chain(0.01, 0, 1, 0).meanLoss == 0)
    }

    @Test func staysAProbability() {
        var generator = SeededGenerator(seed: 9)
        for _ in 0..<2000 {
            let figures = (0..<5).map { _ in
                [0, 1, Double.random(in: 0...1, using: &generator)].randomElement(using: &generator) ?? 0
            }
            let loss = Self.chain(figures[0], figures[1], figures[2], figures[3], figures[4]).meanLoss
            #expect((0...1).contains(loss), "\(figures)")
        }
    }

    @Test func refusesMoreThanAllOutOfOneState() {
        let loss: (String) -> String = { "\"downlink\": { \"loss\": { \"fourState\": { \($0) } } }" }
        #expect(Profile.issues(members: loss(#""p13": "60 %", "p14": "40 %""#)).isEmpty)
        #expect(Profile.issues(members: loss(#""p13": "60 %", "p14": "41 %""#)).count == 1)
        #expect(Profile.issues(members: loss(#""p13": "1 %", "p31": "60 %", "p32": "40 %""#)).isEmpty)
        #expect(Profile.issues(members: loss(#""p13": "1 %", "p32": "1 %""#)).isEmpty)
        #expect(Profile.issues(members: loss(#""p13": "1 %", "p32": "2 %""#)).count == 1)
    }
}
