// SPDX-License-Identifier: Apache-2.0

extension [Double] {
    /// The arithmetic mean; NaN of no values.
    package var mean: Double { reduce(0, +) / Double(count) }

    /// The middle value, or the mean of the two in the middle. There must be one.
    package var median: Double {
        let sorted = sorted()
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }

    /// The unbiased variance, of two values or more.
    package var variance: Double {
        let mean = mean
        return reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(count - 1)
    }

    /// The standard deviation; 0 of fewer than two values.
    package var deviation: Double { count < 2 ? 0 : variance.squareRoot() }

    /// The value that this share of the values does not exceed, between the two nearest; NaN of no values.
    ///
    /// The shares go from 0 at the smallest value to 1 at the largest (type 7 of Hyndman and Fan 1996).
    package func quantile(_ share: Double) -> Double {
        guard !isEmpty else { return .nan }
        let sorted = sorted()
        let position = share * Double(sorted.count - 1)
        let below = Int(position)
        let above = Swift.min(below + 1, sorted.count - 1)
        return sorted[below] + (sorted[above] - sorted[below]) * (position - Double(below))
    }

    /// The same of sorted values, each of which is in the middle of its share (Hazen's, their type 5); 0 of no values.
    package func midpointQuantile(_ share: Double) -> Double {
        guard let last else { return 0 }
        let position = Swift.min(Swift.max(share * Double(count) - 0.5, 0), Double(count - 1))
        let index = Int(position)
        guard index + 1 < count else { return last }
        return self[index] + (position - Double(index)) * (self[index + 1] - self[index])
    }
}
