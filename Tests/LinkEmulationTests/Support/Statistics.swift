// SPDX-License-Identifier: Apache-2.0

import LinkProfiles

/// How far from theory a sample may be.
enum Statistics {
    /// A right sample lies farther than so many standard errors from its mean with a probability of 6e-7.
    static let errors = 5.0

    /// Whether `count` of `trials` agrees with a `share`; `correlation` is that of neighbouring trials, by which a
    /// two-state chain has (1 + c) / (1 - c) times the variance of independent trials.
    static func agrees(_ count: Int, of trials: Int, with share: Double, correlation: Double = 0) -> Bool {
        let variance = share * (1 - share) * Double(trials) * (1 + correlation) / (1 - correlation)
        return abs(Double(count) - share * Double(trials)) <= errors * variance.squareRoot()
    }

    static func mean(_ values: [Double]) -> Double {
        values.reduce(0, +) / Double(values.count)
    }

    static func variance(_ values: [Double]) -> Double {
        let mean = mean(values)
        return values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count - 1)
    }

    /// Whether the mean of independent values agrees with `expected`.
    static func agrees(meanOf values: [Double], with expected: Double) -> Bool {
        let standardError = (variance(values) / Double(values.count)).squareRoot()
        return abs(mean(values) - expected) <= errors * standardError
    }

    /// The largest distance of a sample's distribution function from the true one: exceeded with a probability of 1e-6
    /// (Kolmogorov-Smirnov; the inequality of Dvoretzky, Kiefer and Wolfowitz with Massart's constant).
    static func kolmogorovSmirnovLimit(_ count: Int) -> Double {
        (14.5 / (2 * Double(count))).squareRoot()
    }
}

/// SplitMix64 for what tests choose by chance, the same in every run.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

extension Probability {
    init(percent: Double) {
        self.init(fraction: percent / 100)
    }
}
