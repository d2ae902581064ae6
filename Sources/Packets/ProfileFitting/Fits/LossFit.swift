// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import LinkProfiles
internal import Statistics

/// The loss model that explains a sequence of lost packets: independent loss, or bursts of a Gilbert-Elliott chain.
package struct LossFit: Sendable {
    package let count: Int
    package let lost: Int
    package var share: Estimate
    /// The mean length of bursts in packets; nil if the data are compatible with independent loss.
    package var burst: Estimate?
    /// The probability of at least the measured number of losses right after another loss, if losses are independent.
    package let independence: Double
    /// The probability of the measured data if each packet depends on the one before only, as in the model; nil without
    /// bursts.
    package let memory: Double?
    /// The longest run of losses, as packet indices, if it is too long for the bursts of the rest; otherwise nil.
    package let outage: Range<Int>?
    /// The shares lost in the first and the second half, if they differ by more than chance explains.
    package private(set) var halves: (Double, Double)?

    package init(_ isLost: [Bool]) {
        count = isLost.count
        lost = isLost.count { $0 }
        // The number of triples of consecutive packets, by a bit mask of which of the three were lost.
        var triples = [Int](repeating: 0, count: 8)
        var (state, run, runs) = (0, 0, 0)
        var longest = 0..<0
        for (index, isLost) in isLost.enumerated() {
            state = (state << 1 | (isLost ? 1 : 0)) & 7
            if index >= 2 { triples[state] += 1 }
            if isLost, run == 0 { runs += 1 }
            run = isLost ? run + 1 : 0
            if run > longest.count { longest = index + 1 - run..<index + 1 }
        }
        // The number of pairs (`before`, `now`) that a third packet precedes.
        let after = { (before: Int, now: Int) in triples[before << 1 | now] + triples[4 | before << 1 | now] }
        independence = Self.excess(
            after(1, 1),
            of: after(1, 0) + after(1, 1),
            marked: after(0, 1) + after(1, 1),
            triples.reduce(0, +)
        )
        share = Estimate(shareOf: lost, outOf: count)
        let length = runs > 0 ? Double(lost) / Double(runs) : 0
        let isBursty = independence < 0.01 && length > 1
        var factor = 1.0
        if isBursty {
            burst = Estimate(shareOf: runs, outOf: lost).map { 1 / $0 }
            let toBad = Double(after(0, 1)) / Double(max(after(0, 0) + after(0, 1), 1))
            let correlation = min(max(1 - toBad - 1 / length, 0), 0.999)
            factor = (1 + correlation) / (1 - correlation)
            // The effective number of independent packets.
            let range = WilsonInterval.range(share: share.value, count: Double(count) / factor)
            share = Estimate(share.value, range)
        }
        memory = isBursty ? Self.secondOrder(triples) : nil
        outage = Self.isOutage(longest.count, lost: lost, runs: runs, count) ? longest : nil
        compareHalves(isLost, factor)
    }

    /// The probability of at least `both` of `drawn` among `marked` of `all`: Fisher's exact test.
    private static func excess(_ both: Int, of drawn: Int, marked: Int, _ all: Int) -> Double {
        guard drawn > 0, marked > 0, all > 0 else { return 1 }
        var sum = 0.0
        for hits in both...max(min(drawn, marked), both) where drawn - hits <= all - marked {
            let term = exp(
                logBinomial(marked, hits) + logBinomial(all - marked, drawn - hits) - logBinomial(all, drawn)
            )
            sum += term
            if term < 1e-12 * sum { break }
        }
        return min(sum, 1)
    }

    /// The probability, from a likelihood ratio test (chi-squared with two degrees of freedom), of the measured data if
    /// a packet depends on the previous packet only, and not on two.
    private static func secondOrder(_ triples: [Int]) -> Double {
        var statistic = 0.0
        for middle in [0, 2] {
            let all = (0...1).map { now in Double(triples[middle | now] + triples[4 | middle | now]) }
            for before in [0, 4] {
                let own = (0...1).map { now in Double(triples[before | middle | now]) }
                for now in 0...1 where own[now] > 0 {
                    statistic += 2 * own[now] * log(own[now] / (own[0] + own[1]) / (all[now] / (all[0] + all[1])))
                }
            }
        }
        return exp(-statistic / 2)
    }

    /// Whether the longest run of losses is too long to be a burst like the other runs: whether its predictive
    /// probability, given them, is below 0.001.
    private static func isOutage(_ longest: Int, lost: Int, runs: Int, _ count: Int) -> Bool {
        guard longest >= 10, longest < count else { return false }
        let others = runs - 1
        guard others >= 2 else { return true }
        // The chance that a burst ends has a beta distribution, with Jeffreys' prior.
        let (ends, goesOn) = (Double(others) + 0.5, Double(lost - longest - others) + 0.5)
        let steps = Double(longest - 1)
        let longer = exp(
            lgamma(goesOn + steps) - lgamma(goesOn) + lgamma(ends + goesOn) - lgamma(ends + goesOn + steps)
        )
        return Double(runs) * longer < 0.001
    }

    private mutating func compareHalves(_ isLost: [Bool], _ factor: Double) {
        let middle = count / 2
        guard outage == nil, middle >= 50 else { return }
        let first = Double(isLost[..<middle].count { $0 }) / Double(middle)
        let second = Double(isLost[middle...].count { $0 }) / Double(count - middle)
        let variance = factor * share.value * (1 - share.value) * (1 / Double(middle) + 1 / Double(count - middle))
        if variance > 0, abs(first - second) > 4 * variance.squareRoot() { halves = (first, second) }
    }

    /// The loss of each direction, if round trips have this loss and both directions are alike: an answer needs both to
    /// pass.
    func halved() -> LossFit {
        var half = self
        half.share = share.map { 1 - (1 - $0).squareRoot() }
        let (both, one) = (share.value, half.share.value)
        half.burst = burst.map { burst in
            burst.map { length in
                // A burst of lost round trips starts when a burst starts in either direction.
                let begins = 1 - max(1 - both / max(length * (1 - both), 1e-12), 0).squareRoot()
                return max(one / max(begins * (1 - one), 1e-12), 1)
            }
        }
        return half
    }

    /// The loss model for a profile; nil if no packet was lost.
    package var model: LossModel? {
        guard lost > 0 else { return nil }
        let probability = Probability(fraction: share.value.rounded(digits: 3))
        guard let burst, let chain = GilbertElliott(loss: probability, burst: burst.value.rounded(digits: 3)) else {
            return .random(probability)
        }
        return .gilbertElliott(chain)
    }
}

extension Double {
    /// The number rounded to `digits` significant digits.
    func rounded(digits: Int) -> Double {
        guard self != 0, isFinite else { return self }
        let scale = pow(10, Double(digits) - log10(magnitude).rounded(.up))
        // Dividing whole numbers gives the Double nearest to the decimal, which prints with these digits only.
        return scale >= 1 ? (self * scale).rounded() / scale : (self * scale).rounded() * (1 / scale).rounded()
    }
}
