// SPDX-License-Identifier: Apache-2.0

internal import Statistics

/// A test of whether round trips come from one distribution throughout a recording; otherwise the change or the modes
/// found.
struct Constancy {
    /// The medians of the first and the last tenth of the round trips, in seconds; nil unless round trips rise or fall.
    private(set) var drift: (from: Double, to: Double)?
    /// The lowest and the highest of the medians of the ten tenths, in seconds; nil unless medians change without a
    /// trend.
    private(set) var levels: (low: Double, high: Double)?
    /// The two modes of the round trips; nil if the data are compatible with one mode.
    let modes: Modes?

    private static let parts = 10
    /// The value of chi-squared with nine degrees of freedom that chance exceeds once in ten thousand.
    private static let limit = 33.7

    /// - Parameter trips: the round trips in seconds, in chronological order.
    init(_ trips: [Double]) {
        let sorted = trips.sorted()
        modes = Modes(TimeResolution(of: sorted).spreading(sorted))
        guard trips.count >= 5 * Self.parts else { return }
        let ranks = Self.ranks(trips)
        let count = Double(trips.count)
        let parts = (0..<Self.parts).map { trips.count * $0 / Self.parts..<trips.count * ($0 + 1) / Self.parts }
        let middle = (count + 1) / 2
        let squares = parts.reduce(0) { sum, part in
            let mean = Array(ranks[part]).mean - middle
            return sum + mean * mean * Double(part.count)
        }
        let variance = ranks.reduce(0) { $0 + ($1 - middle) * ($1 - middle) } / (count - 1)
        // The Kruskal-Wallis statistic, with its correction for equal values.
        guard variance > 0, squares / variance > Self.limit, squares / variance / (count - 1) > 0.06 else { return }
        let medians = parts.map { trips[$0].sorted().midpointQuantile(0.5) }
        guard let (low, high) = medians.min().flatMap({ low in medians.max().map { (low, $0) } }),
            high - low > max(0.03 * low, 0.0005)
        else { return }
        let products = ranks.enumerated().reduce(0) { $0 + (Double($1.offset) + 1 - middle) * ($1.element - middle) }
        let correlation = products / (variance * (count - 1) * (count * count - 1) * count / 12).squareRoot()
        if abs(correlation) > 0.6 { drift = (medians[0], medians[Self.parts - 1]) } else { levels = (low, high) }
    }

    /// The ranks of `values`, from 1; equal values share their mean rank.
    private static func ranks(_ values: [Double]) -> [Double] {
        let order = values.indices.sorted { values[$0] < values[$1] }
        var ranks = [Double](repeating: 0, count: values.count)
        var start = 0
        while start < order.count {
            var end = start
            while end < order.count, values[order[end]] == values[order[start]] { end += 1 }
            for rank in start..<end { ranks[order[rank]] = Double(start + end + 1) / 2 }
            start = end
        }
        return ranks
    }
}
