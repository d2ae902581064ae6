// SPDX-License-Identifier: Apache-2.0

internal import Statistics

/// The four time stamps of a request to another machine and its reply, in nanoseconds, each by the clock of the machine
/// that sent or received.
package struct ClockExchange: Sendable {
    /// When the request was sent and the reply received, by our clock.
    package let asked, returned: Int64
    /// When the request was received and the reply sent, by the other clock.
    package let came, answered: Int64

    package init(asked: Int64, came: Int64, answered: Int64, returned: Int64) {
        (self.asked, self.came, self.answered, self.returned) = (asked, came, answered, returned)
    }

    /// The bounds of how far the other clock is ahead, since neither direction has a negative delay.
    fileprivate var bounds: (minimum: Int64, maximum: Int64) { (answered - returned, came - asked) }
}

/// The offset of another machine's clock from ours, as a linear function of time, with its error.
///
/// The sum of both directions' delays is known exactly, how it divides is not. The estimate is the middle of the
/// possible range, so its error is half the shortest round trip (RFC 5905, section 10, estimates by the exchange with
/// the least delay, too).
package struct ClockComparison: Sendable {
    /// How far the other clock was ahead at the time `middle`, in nanoseconds.
    private var offset: Double
    /// Nanoseconds that the other clock gains per nanosecond.
    private var drift: Double
    private let middle: Double
    /// The largest possible error of the line, in nanoseconds.
    package private(set) var error: Double

    /// The comparison of a clock with itself.
    package static let same = ClockComparison(offset: 0, drift: 0, middle: 0, error: 0)

    private init(offset: Double, drift: Double, middle: Double, error: Double) {
        (self.offset, self.drift, self.middle, self.error) = (offset, drift, middle, error)
    }

    /// Fits the line to exchanges made at several times; nil if there are none.
    ///
    /// - Parameter synchronized: the sum of both clocks' error bounds as the kernels report them (adjtimex(2)), in
    ///   nanoseconds; nil if one clock is not synchronized.
    package init?(_ times: [[ClockExchange]], synchronized: Int64? = nil) {
        let points = times.filter { !$0.isEmpty }.map { exchanges -> (time: Double, offset: Double, error: Double) in
            let minimum = exchanges.map(\.bounds.minimum).max() ?? 0
            let maximum = exchanges.map(\.bounds.maximum).min() ?? 0
            let time = exchanges.reduce(0.0) { $0 + Double($1.asked) / Double(exchanges.count) }
            return (time, Double(minimum) + Double(maximum - minimum) / 2, abs(Double(maximum - minimum)) / 2)
        }
        guard let first = points.first else { return nil }
        let middle = points.map(\.time).mean
        // Subtracts the first offset, since the time of day has more digits than a Double.
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

    /// Converts `time` on the other clock to our clock.
    package func ours(_ time: Int64) -> Int64 {
        // The time of day has more digits than a Double, but the difference does not.
        time - Int64((offset + drift * (Double(time) - offset - middle)).rounded())
    }
}
