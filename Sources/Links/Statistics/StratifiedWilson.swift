// SPDX-License-Identifier: Apache-2.0

/// The share of a population that survives, with an interval at 95 % confidence: the sum of w p over strata of weight w,
/// of which each survives with its own probability p, from a few runs of each.
///
/// The strata are fixed: the interval is about the chance in the runs (their seeds), and neither about strata that the
/// population lacks nor about errors of the weights.
///
/// The interval is Wilson's score for a weighted sum (method S0 of Martín Andrés, Herranz Tejedor and Álvarez Hernández,
/// J. Stat. Comput. Simul. 82, 2012): a share is in it if the observed one lies within 1.96 standard deviations, at the
/// most likely p of all strata that give this share. As in Miettinen and Nurminen's score (Statist. Med. 4, 1985), a
/// variance has n - 1 in place of n: with five runs of each of 40 strata, n would cover 90 %.
///
/// By simulation of 5, 12 and 40 strata with equal and with skewed weights, it covers 94 to 97 % where each p is between
/// 0 and 1 and each stratum has five runs or more; 93 % with two runs of each of 40 strata; and up to 100 % where strata
/// always or never survive, or have one run. There, the normal interval covers 20 to 95 %. The stratified Wilson interval
/// of Yan and Su (Stat. Biopharm. Res. 2, 2010) covers 85 to 100 %, and is up to five times as wide.
package struct StratifiedWilson: Hashable, Sendable {
    package struct Stratum: Hashable, Sendable {
        /// The share of the population; the weights of all strata add up to 1.
        package let weight: Double
        package let survived: Int
        package let runs: Int

        package init(weight: Double, survived: Int, runs: Int) {
            (self.weight, self.survived, self.runs) = (weight, survived, runs)
        }

        fileprivate var opposite: Stratum { Stratum(weight: weight, survived: runs - survived, runs: runs) }

        /// The most likely probability of survival under a pull to smaller shares, which is 0 for the observed share.
        /// It is the smaller root of c p² - (n + c) p + s, with c the pull times the weight, in a form without
        /// cancellation.
        fileprivate func probability(pull: Double) -> Double {
            let (survived, sum) = (Double(survived), Double(runs) + pull * weight)
            let root = max(sum * sum - 4 * pull * weight * survived, 0).squareRoot()
            // Rounding must not exceed 1: a variance would be negative.
            return min(2 * survived / (sum + root), 1)
        }
    }

    /// The strata with runs.
    private let known: [Stratum]
    /// The weight of the strata without runs.
    package let unknown: Double

    package init(_ strata: [Stratum]) {
        known = strata.filter { $0.runs > 0 }
        unknown = strata.reduce(0) { $0 + ($1.runs > 0 ? 0 : $1.weight) }
    }

    /// The observed share: a range if strata without runs could survive or not.
    package var share: ClosedRange<Double> {
        let observed = known.reduce(0) { $0 + $1.weight * Double($1.survived) / Double($1.runs) }
        return observed...observed + unknown
    }

    /// The 95 % confidence interval. Strata without runs widen it by their weight.
    package var range: ClosedRange<Double> {
        let all = known.reduce(0) { $0 + $1.weight }
        let (lower, upper) = (Self.lowest(known), all - Self.lowest(known.map(\.opposite)))
        // Rounding must not exclude the observed share.
        return max(min(lower, share.lowerBound), 0)...max(upper + unknown, share.upperBound)
    }

    /// The lower end of the interval.
    private static func lowest(_ strata: [Stratum]) -> Double {
        // The pull is low / (1 - low): a bisection over all positive numbers.
        var (low, high) = (0.0, 1.0)
        for _ in 0..<50 {
            let middle = (low + high) / 2
            if agrees(strata, pull: middle / (1 - middle)) { low = middle } else { high = middle }
        }
        let pull = low / (1 - low)
        return strata.reduce(0) { $0 + $1.weight * $1.probability(pull: pull) }
    }

    /// Whether the observed share agrees with the share that `pull` leads to.
    private static func agrees(_ strata: [Stratum], pull: Double) -> Bool {
        var (distance, variance) = (0.0, 0.0)
        for stratum in strata {
            let (probability, runs) = (stratum.probability(pull: pull), Double(stratum.runs))
            let spread = stratum.weight * stratum.weight * probability * (1 - probability)
            distance += pull * spread / runs
            // One run says nothing of its variance, which then counts as the largest possible one.
            variance += stratum.runs > 1 ? spread / (runs - 1) : stratum.weight * stratum.weight / 4
        }
        return distance * distance <= WilsonInterval.deviations * WilsonInterval.deviations * variance
    }
}
