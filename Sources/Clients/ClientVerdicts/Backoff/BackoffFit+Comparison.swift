// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Compares how well waits fit as growing, as steady, or as decorrelated jitter, which draws each from a range that
/// depends on the wait before.
extension BackoffFit {
    /// Waits that grow by a smaller factor are steady.
    private static let steadyFactor = 1.15
    /// Waits that grow by a greater factor are growing.
    static let growingFactor = 1.3
    /// Waits whose cap is below this multiple of the first wait do not count as growing.
    private static let minimumGrowth = 2.0
    /// The logarithm of the likelihood ratio from which waits count as growing: one of 30 clients with steady waits
    /// reaches it.
    private static let growthEvidence = 3.5
    /// The logarithm of the likelihood ratio from which waits count as steady: one of 600 clients with growing waits
    /// reaches it.
    private static let steadyEvidence = 6.5
    /// The longest wait of decorrelated jitter, as a multiple of the wait before: the value in AWS's "Exponential
    /// Backoff And Jitter" (2015), and in the libraries that follow it.
    private static let decorrelatedReach = 3.0

    /// The factors to try, as fine as the comparison needs.
    private static let roughFactors = stride(from: log(0.5), through: log(10.0), by: 0.05).map { exp($0) } + [1]

    /// The trend of the waits, and whether growing ones fit decorrelated jitter best.
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

    /// Whether the median wait of the second half is longer than the first half's: one long pause is no growth.
    private var laterOnesAreLonger: Bool {
        let half = gaps.count / 2
        let (first, second) = (gaps.prefix(half).sorted(), gaps.suffix(half).sorted())
        return second[(half - 1) / 2] >= first[(half - 1) / 2] * Self.growingFactor
    }

    private func evidence(_ factors: [Double], where isMeant: (Candidate) -> Bool = { _ in true }) -> Double {
        factors.flatMap { candidates($0).filter(isMeant) }.map(\.evidence).max() ?? -.infinity
    }

    /// The evidence for waits that are each drawn between a base and three times the wait before, up to a cap.
    private var decorrelated: Double {
        guard let shortest = gaps.min(), let longest = gaps.max() else { return -.infinity }
        let capped = gaps.map { $0 > longest * (1 - Self.noise) }
        // Waits have a cap only if several are the longest, and if the cap leaves room for growth.
        let hasCap = capped.count { $0 } > 1 && longest > shortest * Self.decorrelatedReach && gaps[0] < longest
        // The base is shorter than the shortest observed wait by an unknown share: several are tried.
        return [1, 0.9, 0.8, 0.7, 0.5, 0.34].map { share -> Double in
            let base = shortest * share
            var (previous, sum) = (base, hasCap ? -Self.costOfCap : 0)
            for (gap, isCapped) in zip(gaps, capped) {
                let limit = Self.decorrelatedReach * previous * (1 + Self.noise)
                guard gap <= limit else { return -.infinity }
                let width = max(limit - base, gap * Self.noise)
                if hasCap, isCapped {
                    // Each wait that would exceed the cap is as long as the cap.
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
