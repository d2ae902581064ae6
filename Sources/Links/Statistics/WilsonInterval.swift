// SPDX-License-Identifier: Apache-2.0

/// The share of successes in several runs, with the interval of Wilson's score at 95 % confidence.
///
/// Unlike an interval from the mean and its standard error, it is valid for few runs and for shares near 0 and 1
/// (Wilson 1927; Brown, Cai and DasGupta 2001).
package struct WilsonInterval: Hashable, Sendable {
    package let successes: Int
    package let runs: Int

    package init(_ successes: Int, of runs: Int) { (self.successes, self.runs) = (successes, runs) }

    /// The observed share of successes; nil without runs.
    package var share: Double? { runs > 0 ? Double(successes) / Double(runs) : nil }

    /// The 95 % confidence interval of the share; 0...1 without runs.
    package var range: ClosedRange<Double> {
        share.map { Self.range(share: $0, count: Double(runs)) } ?? 0...1
    }

    /// The 95 % confidence interval for the share of `count` independent runs; of dependent runs, `count` is their
    /// effective number.
    package static func range(share: Double, count: Double) -> ClosedRange<Double> {
        let squared = deviations * deviations
        let scale = 1 + squared / count
        let center = (share + squared / (2 * count)) / scale
        let variance = share * (1 - share) / count + squared / (4 * count * count)
        let half = deviations / scale * variance.squareRoot()
        // Rounding must not exclude the observed share.
        return min(max(0, center - half), share)...max(min(1, center + half), share)
    }

    /// The number of standard deviations around the mean that contain 95 % of a normal distribution.
    static let deviations = 1.959964
}
