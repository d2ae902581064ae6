// SPDX-License-Identifier: Apache-2.0

internal import Statistics

/// A figure, and the values that are compatible with what was measured, at 95 % confidence.
package struct Estimate: Hashable, Sendable {
    package var value: Double
    package var range: ClosedRange<Double>

    init(_ value: Double, _ range: ClosedRange<Double>) { (self.value, self.range) = (value, range) }

    /// A figure with a normal error.
    ///
    /// - Parameter count: how many values its deviation is taken from. Of few, Student's distribution is wider.
    init(_ value: Double, deviation: Double, of count: Int = .max) {
        let half = 1.96 * (1 + 1.2 / Double(max(count - 1, 1))) * abs(deviation)
        self.init(value, value - half...value + half)
    }

    func widened(by half: Double) -> Estimate { Estimate(value, range.lowerBound - half...range.upperBound + half) }

    /// A share of events, by Wilson's score.
    init(share successes: Int, of count: Int) {
        let interval = WilsonInterval(successes, of: count)
        self.init(interval.share ?? 0, interval.range)
    }

    /// The figure of a function that rises or falls everywhere.
    func map(_ change: (Double) -> Double) -> Estimate {
        let ends = [change(range.lowerBound), change(range.upperBound)].sorted()
        return Estimate(change(value), ends[0]...ends[1])
    }

    /// The median of sorted values, whatever their distribution.
    init(medianOf sorted: [Double]) {
        let count = Double(sorted.count)
        let half = 0.98 * count.squareRoot()
        let low = max(Int((count / 2 - half).rounded(.down)), 0)
        let high = min(Int((count / 2 + half).rounded(.up)), sorted.count - 1)
        self.init(sorted.midpointQuantile(0.5), sorted[low]...sorted[high])
    }
}

extension [Double] {
    /// The width of the middle four fifths of sorted values: a busy machine delays some of the others.
    var spread: Double { midpointQuantile(0.9) - midpointQuantile(0.1) }
}
