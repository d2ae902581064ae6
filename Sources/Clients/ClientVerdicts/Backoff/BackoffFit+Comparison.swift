// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Compares what waits may be: growing, steady, or drawn anew each time from a range that the one before sets.
extension BackoffFit {
    /// Waits that grow by less from one to the next are steady.
    private static let steadyFactor = 1.15
    /// Waits that grow by more are growing.
    private static let growingFactor = 1.3
    /// Waits that reach a cap of less than this, times the first, are not growing.
    private static let minimumGrowth = 2.0
    /// The likelihood ratio from which waits count as growing: one of 30 clients with steady waits reaches it.
    private static let growthEvidence = 3.5
    /// The likelihood ratio from which waits count as steady: one of 600 clients with growing waits reaches it.
    private static let steadyEvidence = 6.5
    /// The longest wait of decorrelated jitter, as a multiple of the wait before: that of AWS's "Exponential Backoff And
    /// Jitter" (2015), and of the libraries that follow it.
    private static let decorrelatedReach = 3.0

    /// As fine as the comparison needs them.
    private static let roughFactors = stride(from: log(0.5), through: log(10.0), by: 0.05).map { exp($0) } + [1]

    /// The trend of the waits, as far as they show it.
    var comparison: (trend: Backoff.Trend, isDecorrelated: Bool) {
        let factors = Self.roughFactors
        let steady = evidence(factors.filter { $0 <= Self.steadyFactor })
        let between = evidence(factors.filter { $0 > Self.steadyFactor && $0 < Self.growingFactor })
        let geometric = evidence(factors.filter { $0 >= Self.growingFactor }) {
            $0.cap ?? .infinity >= Self.minimumGrowth
        }
        let random = decorrelated
        let growing = max(geometric, random)
        if growing - steady >= Self.growthEvidence, growing >= between - 1, laterOnesAreLonger {
            return (.growing, random > geometric)
        }
        if steady - growing >= Self.steadyEvidence, steady >= between { return (.steady, false) }
        return (.unclear, false)
    }

    /// Whether the usual wait of the second half is longer than that of the first: one long pause is no growth.
    private var laterOnesAreLonger: Bool {
        let half = gaps.count / 2
        let (first, second) = (gaps.prefix(half).sorted(), gaps.suffix(half).sorted())
        return second[(half - 1) / 2] >= first[(half - 1) / 2] * Self.growingFactor
    }

    private func evidence(_ factors: [Double], where isMeant: (Candidate) -> Bool = { _ in true }) -> Double {
        factors.flatMap { candidates($0).filter(isMeant) }.map(\.evidence).max() ?? -.infinity
    }

    /// The evidence for waits that are drawn each between a base and three times the one before, up to a cap.
    private var decorrelated: Double {
        guard let shortest = gaps.min(), let longest = gaps.max() else { return -.infinity }
        let capped = gaps.map { $0 > longest * (1 - Self.noise) }
        // Without a cap, no two waits are the longest; and a cap lets waits grow at all.
        let hasCap = capped.count { $0 } > 1 && longest > shortest * Self.decorrelatedReach && gaps[0] < longest
        // The shortest wait seen is longer than the base, by how much is not known.
        return [1, 0.9, 0.8, 0.7, 0.5, 0.34].map { share -> Double in
            let base = shortest * share
            var (previous, sum) = (base, hasCap ? -Self.costOfCap : 0)
            for (gap, isCapped) in zip(gaps, capped) {
                let limit = Self.decorrelatedReach * previous * (1 + Self.noise)
                guard gap <= limit else { return -.infinity }
                let width = max(limit - base, gap * Self.noise)
                if hasCap, isCapped {
                    // Waits that would be longer are as long as the cap.
                    sum += log(max((limit - longest * (1 - 2 * Self.noise)) / width, 1e-6)) - log(longest * Self.noise)
                } else {
                    sum -= log(width)
                }
                previous = gap
            }
            return sum
        }.max() ?? -.infinity
    }
}
