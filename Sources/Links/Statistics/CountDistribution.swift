// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A probability distribution of counts.
package struct CountDistribution: Sendable {
    /// The count that the first element of `probabilities` belongs to.
    let first: Int
    let probabilities: [Double]

    /// The range of counts outside which a count of this distribution is with a probability of at most `error`, half of
    /// it on each side.
    package func bounds(error: Double) -> ClosedRange<Int> {
        var cumulative = 0.0
        var low = first
        var high = first + probabilities.count - 1
        for (index, probability) in probabilities.enumerated() {
            let before = cumulative
            cumulative += probability
            if before <= error / 2, cumulative > error / 2 { low = first + index }
            if cumulative >= 1 - error / 2 {
                high = first + index
                break
            }
        }
        return low...high
    }

    /// The binomial distribution: the number of successes in `trials` trials, each with `probability`.
    package static func binomial(trials: Int, probability: Double) -> CountDistribution {
        CountDistribution(
            first: 0,
            probabilities: (0...trials).map { count in
                // 0 * log(0) counts as 0.
                let success = count == 0 ? 0 : Double(count) * log(probability)
                let failure = count == trials ? 0 : Double(trials - count) * log(1 - probability)
                return exp(logBinomial(trials, count) + success + failure)
            }
        )
    }

    /// The negative binomial distribution: the total number of packets in `bursts` bursts, if each packet of a burst is
    /// its last with probability `end`.
    package static func burstTotal(bursts: Int, end: Double) -> CountDistribution {
        let maximum = Double(bursts) / end + 12 * (Double(bursts) * (1 - end)).squareRoot() / end + 20
        return CountDistribution(
            first: bursts,
            probabilities: (bursts...Int(maximum)).map { total in
                let further = total == bursts ? 0 : Double(total - bursts) * log(1 - end)
                return exp(logBinomial(total - 1, bursts - 1) + Double(bursts) * log(end) + further)
            }
        )
    }
}
