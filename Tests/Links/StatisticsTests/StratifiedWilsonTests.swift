// SPDX-License-Identifier: Apache-2.0

import TestKit
import Testing

@testable import Statistics

@Suite struct StratifiedWilsonTests {
    /// A population: the weight of each stratum and the probability that it survives.
    struct Population: CustomTestStringConvertible {
        let testDescription: String
        let strata: [(weight: Double, probability: Double)]
        /// Whether strata that always or never survive may make the interval cover more than 97 %.
        var isConservative = true

        init(_ name: String, _ probabilities: [Double], weights: [Double]? = nil, isConservative: Bool) {
            let weights = weights ?? probabilities.map { _ in 1 }
            let sum = weights.reduce(0, +)
            strata = zip(weights, probabilities).map { ($0 / sum, $1) }
            (testDescription, self.isConservative) = (name, isConservative)
        }

        var share: Double { strata.reduce(0) { $0 + $1.weight * $1.probability } }
    }

    private static let populations = [
        Population(
            "40 of skewed weights, between 20 and 80 %",
            (0..<40).map { 0.2 + 0.6 * Double($0) / 39 },
            weights: (1...40).map { 1 / Double($0) },
            isConservative: false
        ),
        Population(
            "12 of other weights, between 20 and 80 %",
            (0..<12).map { 0.2 + 0.6 * Double($0) / 11 },
            weights: (1...12).map(Double.init),
            isConservative: false
        ),
        Population(
            "12, most always or never survive",
            [1, 1, 1, 1, 1, 1, 0, 0, 0, 0.3, 0.6, 0.9],
            isConservative: true
        ),
        Population("5 that nearly always survive", [0.85, 0.9, 0.92, 0.95, 0.98], isConservative: true),
    ]

    /// The interval from the observed variance, as textbooks have it.
    private static func normal(_ strata: [StratifiedWilson.Stratum]) -> ClosedRange<Double> {
        var (share, variance) = (0.0, 0.0)
        for stratum in strata {
            let observed = Double(stratum.survived) / Double(stratum.runs)
            share += stratum.weight * observed
            variance += stratum.weight * stratum.weight * observed * (1 - observed) / Double(stratum.runs)
        }
        let half = WilsonInterval.deviations * variance.squareRoot()
        return share - half...share + half
    }

    /// Five runs of each stratum, 10,000 times: 93 to 97 % of the intervals contain the share, within the binomial
    /// distribution's bounds. Those of the normal interval are fewer.
    @Test(arguments: populations)
    func containsTheShareAsOftenAsItPromises(population: Population) {
        let samples = 10_000
        var random = SeededGenerator(seed: 54)
        var (covered, coveredByNormal) = (0, 0)
        for _ in 0..<samples {
            let strata = population.strata.map { weight, probability in
                let survived = (0..<5).count { _ in Double.random(in: 0..<1, using: &random) < probability }
                return StratifiedWilson.Stratum(weight: weight, survived: survived, runs: 5)
            }
            let rounding = 1e-9
            let range = StratifiedWilson(strata).range
            if range.lowerBound - rounding...range.upperBound + rounding ~= population.share { covered += 1 }
            if Self.normal(strata).contains(population.share) { coveredByNormal += 1 }
        }
        let least = CountDistribution.binomial(trials: samples, probability: 0.93).bounds(error: 1e-3).lowerBound
        let most = CountDistribution.binomial(trials: samples, probability: 0.97).bounds(error: 1e-3).upperBound
        #expect(covered >= least)
        #expect(population.isConservative || covered <= most)
        #expect(coveredByNormal < least)
    }

    /// Values of an implementation in Python.
    @Test(arguments: [
        ([(0.25, 5, 5), (0.25, 5, 5), (0.25, 0, 5), (0.25, 3, 5)], 0.464959, 0.800361),
        ([(0.5, 20, 20), (0.3, 14, 20), (0.2, 0, 20)], 0.617669, 0.757184),
        ([(0.5, 1, 1), (0.3, 1, 1), (0.2, 0, 1)], 0.195899, 1),
        ([(0.7, 10, 10), (0.3, 1, 1)], 0.667476, 1),
        ([(0.6, 10, 10), (0.4, 10, 10)], 0.820513, 1),
        ([(0.6, 0, 5), (0.4, 0, 5)], 0, 0.324408),
    ])
    func hasTheValuesOfAnotherImplementation(
        strata: [(weight: Double, survived: Int, runs: Int)],
        lower: Double,
        upper: Double
    ) {
        let range = StratifiedWilson(strata.map { .init(weight: $0, survived: $1, runs: $2) }).range
        #expect(abs(range.lowerBound - lower) < 1e-6 && abs(range.upperBound - upper) < 1e-6, "\(range)")
    }

    /// The variance with n - 1 in place of n is that of one run fewer.
    @Test(arguments: [(3, 20), (0, 5), (10, 10), (1, 2)])
    func isWilsonsIntervalOfOneRunFewerForOneStratum(survived: Int, runs: Int) {
        let range = StratifiedWilson([.init(weight: 1, survived: survived, runs: runs)]).range
        let share = Double(survived) / Double(runs)
        let expected = WilsonInterval.range(share: share, count: Double(runs - 1))
        #expect(abs(range.lowerBound - expected.lowerBound) < 1e-9, "\(range)")
        #expect(abs(range.upperBound - expected.upperBound) < 1e-9, "\(range)")
    }

    @Test func widensByTheWeightOfStrataWithoutRuns() {
        let stratum = StratifiedWilson.Stratum(weight: 0.7, survived: 4, runs: 10)
        let known = StratifiedWilson([stratum])
        let all = StratifiedWilson([stratum, .init(weight: 0.3, survived: 0, runs: 0)])
        #expect(all.unknown == 0.3 && all.share.lowerBound == known.share.lowerBound)
        #expect(all.share.upperBound == known.share.upperBound + 0.3)
        #expect(all.range.lowerBound == known.range.lowerBound)
        #expect(all.range.upperBound == known.range.upperBound + 0.3)
    }

    @Test func saysNothingWithoutRuns() {
        #expect(StratifiedWilson([.init(weight: 1, survived: 0, runs: 0)]).range == 0...1)
    }
}
