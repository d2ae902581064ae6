// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Finds the factor, the cap and the spread under which waits are most likely, if each is uniformly distributed around
/// its average.
struct BackoffFit {
    /// The fit of the waits with one factor and one cap.
    struct Candidate {
        var factor: Double
        /// The cap, as a multiple of the first wait.
        var cap: Double?
        /// The least and the greatest ratio of a wait to its power of the factor, or to the cap.
        var low: Double
        var high: Double
        var gaps: Int
        /// The logarithm of the candidate's likelihood.
        var score: Double
        /// The logarithm of the likelihood if the ends of the spread are unknown and not fitted: comparable between
        /// candidates with different numbers of unknowns.
        var evidence: Double

        var middle: Double { (low + high) / 2 }

        /// Half the spread, as a share of the average. Corrected for the fact that few observed waits do not reach the
        /// ends of their range.
        var jitter: Double {
            let half = (high - low) / 2 * Double(gaps + 1) / Double(gaps - 1)
            return half < middle * BackoffFit.noise ? 0 : min(half / middle, 1)
        }
    }

    /// Attempts that are closer than this, in seconds, count as one.
    static let atOnce = 0.001
    private static let fewest = 3
    /// The number of waits that are used; later ones only repeat the cap.
    private static let maximum = 64
    /// The share of a wait that clocks and a busy machine may add.
    static let noise = 0.01
    private static let factors = stride(from: log(0.5), through: log(10.0), by: 0.02).map { exp($0) }
    /// Factors that programs commonly use. One of them is chosen if it is nearly as likely as the best.
    private static let usual: [Double] = [1, 1.25, 1.3, 1.5, 1.6, 1.618, 2, 2.5, 2.718281828, 3, 4, 5, 10]
    private static let tolerance = 2.0
    /// The logarithm of the likelihood ratio by which a cap must improve the fit.
    static let costOfCap = 3.0

    let gaps: [Double]

    /// Makes a fit of waits in seconds, none of them zero; nil if there are too few.
    init?(_ gaps: [Double]) {
        guard gaps.count >= Self.fewest else { return nil }
        self.gaps = Array(gaps.prefix(Self.maximum))
    }

    /// The most likely candidate.
    var best: Candidate? {
        guard let rough = best(Self.factors) else { return nil }
        let near = stride(from: -0.022, through: 0.022, by: 0.001).map { rough.factor * exp($0) }
        guard let fine = best(near) else { return rough }
        guard let usual = best(Self.usual), usual.score >= fine.score - Self.tolerance else { return fine }
        return usual
    }

    private func best(_ factors: [Double]) -> Candidate? {
        factors.compactMap { best($0) }.max { $0.score < $1.score }
    }

    /// The most likely candidate with `factor`, with a cap or without.
    private func best(_ factor: Double) -> Candidate? { candidates(factor).max { $0.score < $1.score } }

    /// The candidates with `factor`: first without a cap, then with one from each wait on.
    func candidates(_ factor: Double) -> [Candidate] {
        let powers = gaps.indices.map { pow(factor, Double($0)) }
        let free = candidate(factor, powers, cappedFrom: nil)
        // A cap from the second wait on is no growth, and a few waits cannot show a later one.
        guard factor > 1, gaps.count > Self.fewest + 1 else { return [free] }
        return [free] + (2..<gaps.count).map { candidate(factor, powers, cappedFrom: $0) }
    }

    private func candidate(_ factor: Double, _ powers: [Double], cappedFrom first: Int?) -> Candidate {
        let count = gaps.count
        let end = first ?? count
        let cap = first.map { self.cap(powers, from: $0) } ?? 1
        var (low, high) = (Double.infinity, 0.0)
        var index = 0
        while index < count {
            let wait = gaps[index] / (index < end ? powers[index] : cap)
            if wait < low { low = wait }
            if wait > high { high = wait }
            index += 1
        }
        // The product of the scales: a power of the factor before the cap, a power of the cap after.
        let logarithms = Double(end * (end - 1) / 2) * log(factor) + Double(count - end) * log(cap)
        let middle = (low + high) / 2
        let spread = ((high - low) * (high - low) + middle * middle * Self.noise * Self.noise).squareRoot()
        // Each wait is uniformly distributed over a range of spread x scale.
        let cost = logarithms + (first == nil ? 0 : Self.costOfCap)
        let score = -cost - Double(count) * log(spread)
        let ends = log(Double(count * (count - 1))) + log(middle)
        return Candidate(
            factor: factor,
            cap: first.map { _ in cap },
            low: low,
            high: high,
            gaps: count,
            score: score,
            evidence: -cost - Double(count - 1) * log(spread) - ends
        )
    }

    /// The cap that the waits from `first` on show, limited to values that would first apply to the wait at `first`.
    private func cap(_ powers: [Double], from first: Int) -> Double {
        let before = (0..<first).reduce(0) { $0 + gaps[$1] / powers[$1] } / Double(first)
        let after = gaps[first...].reduce(0, +) / Double(gaps.count - first)
        return min(max(after / before, powers[first - 1]), powers[first])
    }
}
