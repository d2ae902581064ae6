// SPDX-License-Identifier: Apache-2.0

/// Tests of samples against theory, in standard errors.
package enum StandardErrors {
    /// The limit of the deviation in standard errors, which a correct sample exceeds with a probability of 6e-7.
    package static let limit = 5.0

    /// Whether `count` successes in `trials` trials agree with a probability of `share`. `correlation` is the
    /// correlation c of neighbouring trials: a two-state chain has (1 + c) / (1 - c) times the variance of independent
    /// trials.
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
