// SPDX-License-Identifier: Apache-2.0

/// How far from theory a sample may be.
package enum Statistics {
    /// A right sample lies farther than so many standard errors from its mean with a probability of 6e-7.
    package static let errors = 5.0

    /// Whether `count` of `trials` agrees with a `share`; `correlation` is that of neighbouring trials, by which a
    /// two-state chain has (1 + c) / (1 - c) times the variance of independent trials.
    package static func agrees(_ count: Int, of trials: Int, with share: Double, correlation: Double = 0) -> Bool {
        let variance = share * (1 - share) * Double(trials) * (1 + correlation) / (1 - correlation)
        return abs(Double(count) - share * Double(trials)) <= errors * variance.squareRoot()
    }

    /// The arithmetic mean.
    package static func mean(_ values: [Double]) -> Double {
        values.reduce(0, +) / Double(values.count)
    }

    /// The middle value, or the mean of the two in the middle.
    package static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }

    /// The value that the share `part` of the values does not exceed, between the two nearest; NaN for no values.
    package static func quantile(_ part: Double, of values: [Double]) -> Double {
        guard !values.isEmpty else { return .nan }
        let sorted = values.sorted()
        let place = part * Double(sorted.count - 1)
        let below = Int(place)
        let above = min(below + 1, sorted.count - 1)
        return sorted[below] + (sorted[above] - sorted[below]) * (place - Double(below))
    }

    /// The unbiased variance.
    package static func variance(_ values: [Double]) -> Double {
        let mean = mean(values)
        return values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count - 1)
    }

    /// Whether the mean of independent values agrees with `expected`.
    package static func agrees(meanOf values: [Double], with expected: Double) -> Bool {
        let standardError = (variance(values) / Double(values.count)).squareRoot()
        return abs(mean(values) - expected) <= errors * standardError
    }
}
