// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The largest distance between distribution functions.
package enum KolmogorovSmirnov {
    /// The largest distance of a sample's distribution function from the true one: exceeded with a probability of 1e-6
    /// (the inequality of Dvoretzky, Kiefer and Wolfowitz with Massart's constant).
    package static func limit(_ count: Int) -> Double {
        limit(count, error: 1e-6)
    }

    /// The distance that a sample exceeds with a probability of `error` at most (the same inequality).
    package static func limit(_ count: Int, error: Double) -> Double {
        (log(2 / error) / (2 * Double(count))).squareRoot()
    }

    /// The distance, either way, that two samples of one distribution exceed with a probability of `error`: the limit for large
    /// samples, above the exact one for small ones (J. L. Hodges, Arkiv för Matematik 3, 1958).
    package static func limit(_ count: Int, _ other: Int, error: Double) -> Double {
        let (count, other) = (Double(count), Double(other))
        return (log(2 / error) / 2 * (count + other) / (count * other)).squareRoot()
    }

    /// How far the distribution function of `values` is above that of `others` where it is farthest: the former are
    /// smaller. Equal values may be in both.
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
