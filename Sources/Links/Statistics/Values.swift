// SPDX-License-Identifier: Apache-2.0

extension [Double] {
    /// The arithmetic mean; NaN for no values.
    package var mean: Double { reduce(0, +) / Double(count) }

    /// The middle value, or the mean of the two middle values. The array must not be empty.
    package var median: Double {
        let sorted = sorted()
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }

    /// The unbiased variance; the array must have at least two values.
    package var variance: Double {
        let mean = mean
        return reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(count - 1)
    }

    /// The standard deviation; 0 for fewer than two values.
    package var deviation: Double { count < 2 ? 0 : variance.squareRoot() }

    /// The quantile at `share`, interpolated between the two nearest values; NaN for no values.
    ///
    /// The smallest value is at a share of 0, the largest at 1 (type 7 of Hyndman and Fan 1996).
    package func quantile(_ share: Double) -> Double {
        guard !isEmpty else { return .nan }
        let sorted = sorted()
        let position = share * Double(sorted.count - 1)
        let below = Int(position)
        let above = Swift.min(below + 1, sorted.count - 1)
        return sorted[below] + (sorted[above] - sorted[below]) * (position - Double(below))
    }

    /// The quantile at `share` of an array that is sorted already, by Hazen's definition: each value is in the middle
    /// of its share (type 5 of Hyndman and Fan); 0 for no values.
    package func midpointQuantile(_ share: Double) -> Double {
        guard let last else { return 0 }
        let position = Swift.min(Swift.max(share * Double(count) - 0.5, 0), Double(count - 1))
        let index = Int(position)
        guard index + 1 < count else { return last }
        return self[index] + (position - Double(index)) * (self[index + 1] - self[index])
    }
}
