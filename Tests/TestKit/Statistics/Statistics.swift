// SPDX-License-Identifier: Apache-2.0

/// How far from theory a sample may be.
public enum Statistics {
    /// A right sample lies farther than so many standard errors from its mean with a probability of 6e-7.
    public static let errors = 5.0

    /// Whether `count` of `trials` agrees with a `share`; `correlation` is that of neighbouring trials, by which a
    /// two-state chain has (1 + c) / (1 - c) times the variance of independent trials.
    public static func agrees(_ count: Int, of trials: Int, with share: Double, correlation: Double = 0) -> Bool {
        let variance = share * (1 - share) * Double(trials) * (1 + correlation) / (1 - correlation)
        return abs(Double(count) - share * Double(trials)) <= errors * variance.squareRoot()
    }

    /// The arithmetic mean.
    public static func mean(_ values: [Double]) -> Double {
        values.reduce(0, +) / Double(values.count)
    }

    /// The middle value, or the mean of the two in the middle.
    public static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }

    /// The unbiased variance.
    public static func variance(_ values: [Double]) -> Double {
        let mean = mean(values)
        return values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count - 1)
    }

    /// Whether the mean of independent values agrees with `expected`.
    public static func agrees(meanOf values: [Double], with expected: Double) -> Bool {
        let standardError = (variance(values) / Double(values.count)).squareRoot()
        return abs(mean(values) - expected) <= errors * standardError
    }
}
