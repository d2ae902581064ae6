// SPDX-License-Identifier: Apache-2.0

import Foundation
import Statistics
import TestKit
import Testing

@Suite struct CountDistributionTests {
    /// Of 100 throws of a coin fewer than 40 are heads with 1.76 %, fewer than 41 with 2.84 %.
    @Test func boundsThrowsOfACoin() {
        let coin = CountDistribution.binomial(trials: 100, probability: 0.5)
        #expect(coin.bounds(error: 0.05) == 40...60)
        #expect(coin.bounds(error: 0.036) == 40...60)
        #expect(coin.bounds(error: 0.035) == 39...61)
    }

    @Test func boundsWhatIsCertain() {
        #expect(CountDistribution.binomial(trials: 9, probability: 0).bounds(error: 0.01) == 0...0)
        #expect(CountDistribution.binomial(trials: 9, probability: 1).bounds(error: 0.01) == 9...9)
        #expect(CountDistribution.burstTotal(bursts: 7, end: 1).bounds(error: 0.01) == 7...7)
    }

    /// A chain that forgets its state at once loses each packet by itself, but for the first: it begins in the good state.
    @Test func isBinomialForAChainWithoutMemory() {
        let chain = CountDistribution.losses(of: 200, toBad: 0.3, toGood: 0.7)
        for error in [0.2, 0.01, 1e-6] {
            let coin = CountDistribution.binomial(trials: 199, probability: 0.3)
            #expect(chain.bounds(error: error) == coin.bounds(error: error))
        }
    }

    /// With loss in both states alike it does not matter which holds.
    @Test func isBinomialForAChainWithoutDifference() {
        let chain = CountDistribution.losses(of: 200, toBad: 0.1, toGood: 0.2, lossInBad: 0.3, lossInGood: 0.3)
        let coin = CountDistribution.binomial(trials: 200, probability: 0.3)
        #expect(chain.bounds(error: 0.01) == coin.bounds(error: 0.01))
    }

    /// Two packets, of which the first is safe: the second is lost where the chain has gone to the bad state.
    @Test func countsTheLossesOfAShortChain() {
        #expect(CountDistribution.losses(of: 2, toBad: 0.1, toGood: 0.5).bounds(error: 0.19) == 0...1)
        #expect(CountDistribution.losses(of: 2, toBad: 0.1, toGood: 0.5).bounds(error: 0.21) == 0...0)
    }

    /// For many packets normal, with the variance of a correlated chain.
    @Test func isAboutNormalForALongChain() {
        let (packets, toBad, toGood) = (5000.0, 0.025, 0.5)
        let share = toBad / (toBad + toGood)
        let correlation = 1 - toBad - toGood
        let deviation = (packets * share * (1 - share) * (1 + correlation) / (1 - correlation)).squareRoot()
        let bounds = CountDistribution.losses(of: 5000, toBad: toBad, toGood: toGood).bounds(error: 0.05)
        #expect(abs(Double(bounds.lowerBound) - (packets * share - 1.96 * deviation)) < 2)
        #expect(abs(Double(bounds.upperBound) - (packets * share + 1.96 * deviation)) < 2)
    }

    /// As counting says, a packet after the other: also where the bounds are far out in a long tail.
    @Test(arguments: [
        (1, 0.3, 0.6, 0.9, 0.2), (60, 0.02, 0.2, 1, 0), (301, 0.4, 0.05, 0.7, 0.01), (1000, 0.0007, 0.07, 1, 0),
        (200, 0, 0.1, 1, 0), (200, 1, 0, 1, 0),
    ])
    func countsTheLossesOfAnyChain(_ packets: Int, toBad: Double, toGood: Double, inBad: Double, inGood: Double) {
        var good = [1.0] + Array(repeating: 0, count: packets)
        var bad = Array(repeating: 0.0, count: packets + 1)
        for _ in 0..<packets {
            let (before, beforeInBad) = (good, bad)
            for count in 0...packets {
                let below = count > 0 ? (before[count - 1], beforeInBad[count - 1]) : (0, 0)
                let fromGood = before[count] * (1 - inGood) + below.0 * inGood
                let fromBad = beforeInBad[count] * (1 - inBad) + below.1 * inBad
                good[count] = fromGood * (1 - toBad) + fromBad * toGood
                bad[count] = fromGood * toBad + fromBad * (1 - toGood)
            }
        }
        let found = CountDistribution.losses(
            of: packets,
            toBad: toBad,
            toGood: toGood,
            lossInBad: inBad,
            lossInGood: inGood
        )
        let all = zip(good, bad).map(+)
        for error in [0.2, 0.01, 1e-4, 1e-7] {
            let bounds = found.bounds(error: error)
            let (below, above) = (all[..<bounds.lowerBound], all[(bounds.upperBound + 1)...])
            #expect(below.reduce(0, +) <= error / 2 && below.reduce(all[bounds.lowerBound], +) > error / 2)
            #expect(above.reduce(0, +) <= error / 2 && above.reduce(all[bounds.upperBound], +) > error / 2)
        }
    }

    /// One burst is geometric: longer than n packets with (1 - end)^n.
    @Test func countsThePacketsOfABurst() {
        let burst = CountDistribution.burstTotal(bursts: 1, end: 0.25)
        // 0.75^10 = 5.6 %, 0.75^11 = 4.2 %.
        #expect(burst.bounds(error: 0.1).upperBound == 11)
        // 0.75^20 = 0.32 %, 0.75^21 = 0.24 %.
        #expect(burst.bounds(error: 0.005).upperBound == 21)
    }

    /// The packets until the third that ends a burst: of 1/2 each, 3 with 1/8, 4 with 3/16.
    @Test func countsThePacketsOfSeveralBursts() {
        let bursts = CountDistribution.burstTotal(bursts: 3, end: 0.5)
        #expect(bursts.bounds(error: 0.24).lowerBound == 3)
        #expect(bursts.bounds(error: 0.26).lowerBound == 4)
        #expect(bursts.bounds(error: 0.63).lowerBound == 5)
    }
}
