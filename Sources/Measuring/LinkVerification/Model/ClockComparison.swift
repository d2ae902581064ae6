// SPDX-License-Identifier: Apache-2.0

internal import Statistics

/// A question to another machine and its answer, each dated by who sent or got it, in nanoseconds.
package struct ClockExchange: Sendable {
    /// The times of the question and the answer by our clock.
    package let asked, returned: Int64
    /// The times of the question and the answer by the other clock.
    package let came, answered: Int64

    package init(asked: Int64, came: Int64, answered: Int64, returned: Int64) {
        (self.asked, self.came, self.answered, self.returned) = (asked, came, answered, returned)
    }

    /// How far the other clock is ahead at the least and at the most: neither way takes less than nothing.
    fileprivate var bounds: (minimum: Int64, maximum: Int64) { (answered - returned, came - asked) }
}

/// How far the clock of another machine is ahead of ours, as a line over time, and how well that is known.
///
/// What the two ways take in sum is known exactly; how it divides is not. In the middle of what is possible, half the shortest
/// round trip is the error (RFC 5905, section 10: the same estimate by the exchange with the least delay).
package struct ClockComparison: Sendable {
    /// Nanoseconds that the other clock was ahead at `middle`.
    private var offset: Double
    /// Nanoseconds that it gains in each.
    private var drift: Double
    private let middle: Double
    /// How far the line may be off, in nanoseconds.
    package private(set) var error: Double

    /// The comparison of a clock with itself.
    package static let same = ClockComparison(offset: 0, drift: 0, middle: 0, error: 0)

    private init(offset: Double, drift: Double, middle: Double, error: Double) {
        (self.offset, self.drift, self.middle, self.error) = (offset, drift, middle, error)
    }

    /// Compares by what was exchanged at several times; nil without any.
    ///
    /// - Parameter synchronized: by how much both clocks may differ, as far as the kernels know it (adjtimex(2)), in nanoseconds;
    ///   nil if one of them is not synchronized.
    package init?(_ times: [[ClockExchange]], synchronized: Int64? = nil) {
        let points = times.filter { !$0.isEmpty }.map { exchanges -> (time: Double, offset: Double, error: Double) in
            let minimum = exchanges.map(\.bounds.minimum).max() ?? 0
            let maximum = exchanges.map(\.bounds.maximum).min() ?? 0
            let time = exchanges.reduce(0.0) { $0 + Double($1.asked) / Double(exchanges.count) }
            return (time, Double(minimum) + Double(maximum - minimum) / 2, abs(Double(maximum - minimum)) / 2)
        }
        guard let first = points.first else { return nil }
        let middle = points.map(\.time).mean
        // Close numbers, since the time of day has more digits than a Double.
        let offsets = points.map { $0.offset - first.offset }
        let mean = offsets.mean
        let spread = points.reduce(0) { $0 + ($1.time - middle) * ($1.time - middle) }
        let product = zip(points, offsets).reduce(0) { $0 + ($1.0.time - middle) * ($1.1 - mean) }
        drift = spread > 0 ? product / spread : 0
        offset = first.offset + mean
        self.middle = middle
        let misfit = zip(points, offsets).map { [drift] in abs($1 - mean - drift * ($0.time - middle)) }.max() ?? 0
        error = (points.map(\.error).max() ?? 0) + misfit
        if let synchronized, Double(synchronized) < error {
            (offset, drift, error) = (0, 0, Double(synchronized))
        }
    }

    /// The time on our clock when the other one showed `time`.
    package func ours(_ time: Int64) -> Int64 {
        // The time of day has more digits than a Double, the difference has not.
        time - Int64((offset + drift * (Double(time) - offset - middle)).rounded())
    }
}
