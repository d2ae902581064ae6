// SPDX-License-Identifier: Apache-2.0

import Foundation

/// How many of `n` trials succeed when each does with probability `p`.
struct Binomial {
    let n: Int
    let p: Double

    /// The counts outside of which a right link falls once in `1 / error` runs, half on each side.
    func bounds(error: Double) -> ClosedRange<Int> {
        var cumulative = 0.0
        var low = 0
        var high = n
        for count in 0...n {
            let before = cumulative
            cumulative += probability(of: count)
            if before <= error / 2, cumulative > error / 2 { low = count }
            if cumulative >= 1 - error / 2 {
                high = count
                break
            }
        }
        return low...high
    }

    private func probability(of count: Int) -> Double {
        let ways = lgamma(Double(n + 1)) - lgamma(Double(count + 1)) - lgamma(Double(n - count + 1))
        return exp(ways + Double(count) * log(p) + Double(n - count) * log(1 - p))
    }
}
