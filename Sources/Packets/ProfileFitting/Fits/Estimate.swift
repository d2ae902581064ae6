// SPDX-License-Identifier: Apache-2.0

internal import Statistics

/// An estimated figure with its 95 % confidence interval.
package struct Estimate: Hashable, Sendable {
    package var value: Double
    package var range: ClosedRange<Double>

    init(_ value: Double, _ range: ClosedRange<Double>) { (self.value, self.range) = (value, range) }

    /// Makes an estimate with a normally distributed error.
    ///
    /// - Parameter count: the number of values behind `deviation`. For few values, Student's distribution widens the
    ///   interval.
    init(_ value: Double, deviation: Double, of count: Int = .max) {
        let half = 1.96 * (1 + 1.2 / Double(max(count - 1, 1))) * abs(deviation)
        self.init(value, value - half...value + half)
    }

    func widened(by half: Double) -> Estimate { Estimate(value, range.lowerBound - half...range.upperBound + half) }

    /// Makes the estimate of a share of events, with Wilson's score interval.
    init(shareOf successes: Int, outOf count: Int) {
        let interval = WilsonInterval(successes, of: count)
        self.init(interval.share ?? 0, interval.range)
    }

    /// Applies a monotonic function to the figure and its interval.
    func map(_ change: (Double) -> Double) -> Estimate {
        let ends = [change(range.lowerBound), change(range.upperBound)].sorted()
        return Estimate(change(value), ends[0]...ends[1])
    }

    /// Makes the estimate of the median of sorted values, for any distribution.
    init(medianOf sorted: [Double]) {
        let count = Double(sorted.count)
        let half = 0.98 * count.squareRoot()
        let low = max(Int((count / 2 - half).rounded(.down)), 0)
        let high = min(Int((count / 2 + half).rounded(.up)), sorted.count - 1)
        self.init(sorted.midpointQuantile(0.5), sorted[low]...sorted[high])
    }
}

extension [Double] {
    /// The width of the range of the middle four fifths of sorted values; a busy machine may cause the extremes.
    var spread: Double { midpointQuantile(0.9) - midpointQuantile(0.1) }
}
