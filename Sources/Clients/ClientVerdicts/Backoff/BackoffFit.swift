// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Finds the factor, the cap and the spread under which waits are most likely, if each is spread evenly around its average.
struct BackoffFit {
    /// Waits under one assumption.
    struct Candidate {
        var factor: Double
        /// The cap, as a multiple of the first wait.
        var cap: Double?
        /// The least and the greatest wait, each divided by what its average is a multiple of.
        var low: Double
        var high: Double
        var gaps: Int
        /// The logarithm of its likelihood.
        var score: Double
        /// The likelihood with the ends of the spread unknown rather than fitted: it compares assumptions with
        /// different numbers of unknowns.
        var evidence: Double

        var middle: Double { (low + high) / 2 }

        /// Half the spread. The waits seen do not reach the ends of their range: the fewer, the less.
        var jitter: Double {
            let half = (high - low) / 2 * Double(gaps + 1) / Double(gaps - 1)
            return half < middle * BackoffFit.noise ? 0 : min(half / middle, 1)
        }
    }

    /// Attempts that are closer are one.
    static let atOnce = 0.001
    private static let fewest = 3
    /// Waits beyond these repeat the cap.
    private static let maximum = 64
    /// The share of a wait that clocks and a busy machine may add.
    static let noise = 0.01
    private static let factors = stride(from: log(0.5), through: log(10.0), by: 0.02).map { exp($0) }
    /// Factors that programs commonly use. One of them is chosen if it is nearly as likely as the best.
    private static let usual: [Double] = [1, 1.25, 1.3, 1.5, 1.6, 1.618, 2, 2.5, 2.718281828, 3, 4, 5, 10]
    private static let tolerance = 2.0
    /// The likelihood ratio that a cap must bring.
    static let costOfCap = 3.0

    let gaps: [Double]

    /// Takes waits in seconds, none of them zero; nil if there are too few.
    init?(_ gaps: [Double]) {
        guard gaps.count >= Self.fewest else { return nil }
        self.gaps = Array(gaps.prefix(Self.maximum))
    }

    /// The most likely.
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

    /// The best with this factor, with a cap or without.
    private func best(_ factor: Double) -> Candidate? { candidates(factor).max { $0.score < $1.score } }

    /// The candidates with this factor: the one without a cap first.
    func candidates(_ factor: Double) -> [Candidate] {
        let powers = gaps.indices.map { pow(factor, Double($0)) }
        let free = candidate(factor, powers, cappedFrom: nil)
        // A cap that holds from the second wait on is no growth, and more than the waits of a few cannot be told.
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
        // The scales multiply to a power of the factor as far as there is no cap.
        let logarithms = Double(end * (end - 1) / 2) * log(factor) + Double(count - end) * log(cap)
        let middle = (low + high) / 2
        let spread = ((high - low) * (high - low) + middle * middle * Self.noise * Self.noise).squareRoot()
        // Each wait has the same chance anywhere in a range of spread x scale.
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

    /// The cap that the waits from `first` on tell, within what makes the first of them the first that it limits.
    private func cap(_ powers: [Double], from first: Int) -> Double {
        let before = (0..<first).reduce(0) { $0 + gaps[$1] / powers[$1] } / Double(first)
        let after = gaps[first...].reduce(0, +) / Double(gaps.count - first)
        return min(max(after / before, powers[first - 1]), powers[first])
    }
}
