// SPDX-License-Identifier: Apache-2.0

/// How far from theory a sample may be, in standard errors.
package enum StandardErrors {
    /// A right sample lies farther from its mean with a probability of 6e-7.
    package static let limit = 5.0

    /// Whether `count` of `trials` agrees with a `share`; `correlation` is that of neighbouring trials, by which a
    /// two-state chain has (1 + c) / (1 - c) times the variance of independent trials.
    package static func agrees(_ count: Int, of trials: Int, with share: Double, correlation: Double = 0) -> Bool {
        let variance = share * (1 - share) * Double(trials) * (1 + correlation) / (1 - correlation)
        return abs(Double(count) - share * Double(trials)) <= limit * variance.squareRoot()
    }

    /// Whether the mean of independent values agrees with `expected`.
    package static func agrees(meanOf values: [Double], with expected: Double) -> Bool {
        let standardError = (values.variance / Double(values.count)).squareRoot()
        return abs(values.mean - expected) <= limit * standardError
    }
}
