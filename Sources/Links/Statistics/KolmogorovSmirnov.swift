// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Limits and values of the Kolmogorov-Smirnov distance, the largest distance between two distribution functions.
package enum KolmogorovSmirnov {
    /// The distance from the true distribution function that a sample of `count` values exceeds with a probability of
    /// at most 1e-6 (the inequality of Dvoretzky, Kiefer and Wolfowitz with Massart's constant).
    package static func limit(_ count: Int) -> Double {
        limit(count, error: 1e-6)
    }

    /// The distance from the true distribution function that a sample of `count` values exceeds with a probability of
    /// at most `error` (by the same inequality).
    package static func limit(_ count: Int, error: Double) -> Double {
        (log(2 / error) / (2 * Double(count))).squareRoot()
    }

    /// The two-sided distance that two samples of one distribution exceed with a probability of `error`. The asymptotic
    /// limit, which is larger than the exact one for small samples (J. L. Hodges, Arkiv för Matematik 3, 1958).
    package static func limit(_ count: Int, _ other: Int, error: Double) -> Double {
        let (count, other) = (Double(count), Double(other))
        return (log(2 / error) / 2 * (count + other) / (count * other)).squareRoot()
    }

    /// The one-sided distance: the largest amount by which the distribution function of `values` is above the
    /// distribution function of `others`. It is large if `values` are smaller. Both may have equal values.
    package static func excess(of values: [Double], over others: [Double]) -> Double {
        let (values, others) = (values.sorted(), others.sorted())
        var (index, other, largest) = (0, 0, 0.0)
        while index < values.count {
            let value = values[index]
            while index < values.count, values[index] == value { index += 1 }
            while other < others.count, others[other] <= value { other += 1 }
            largest = max(largest, Double(index) / Double(values.count) - Double(other) / Double(others.count))
        }
        return largest
    }
}
