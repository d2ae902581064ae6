// SPDX-License-Identifier: Apache-2.0

/// The share of successes in several runs, with the interval of Wilson's score at 95 % confidence.
///
/// Unlike the mean and its standard error, it is right for few runs and for shares near 0 and 1 (Wilson 1927; Brown, Cai
/// and DasGupta 2001).
package struct WilsonInterval: Hashable, Sendable {
    package let successes: Int
    package let runs: Int

    package init(_ successes: Int, of runs: Int) { (self.successes, self.runs) = (successes, runs) }

    /// The share that was seen; nil without runs.
    package var share: Double? { runs > 0 ? Double(successes) / Double(runs) : nil }

    /// The shares that are compatible with it; everything without runs.
    package var range: ClosedRange<Double> {
        share.map { Self.range(share: $0, count: Double(runs)) } ?? 0...1
    }

    /// The interval for a share of runs that depend on each other: `count` independent ones would tell as much.
    package static func range(share: Double, count: Double) -> ClosedRange<Double> {
        let squared = deviations * deviations
        let scale = 1 + squared / count
        let center = (share + squared / (2 * count)) / scale
        let variance = share * (1 - share) / count + squared / (4 * count * count)
        let half = deviations / scale * variance.squareRoot()
        // Rounding must not exclude what was seen.
        return min(max(0, center - half), share)...max(min(1, center + half), share)
    }

    /// The quantile of the normal distribution that 95 % of it lie within.
    private static let deviations = 1.959964
}
