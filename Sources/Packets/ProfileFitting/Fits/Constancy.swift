// SPDX-License-Identifier: Apache-2.0

internal import Statistics

/// Whether round trips come from one distribution all the time, and what else they come from.
struct Constancy {
    /// The medians of the first and the last tenth, in seconds, if the round trips rise or fall.
    private(set) var drift: (from: Double, to: Double)?
    /// The lowest and the highest median of tenths, in seconds, if they change otherwise.
    private(set) var levels: (low: Double, high: Double)?
    /// nil if nothing refutes one mode.
    let modes: Modes?

    private static let parts = 10
    /// Chi-squared with nine degrees of freedom: exceeded once in ten thousand times.
    private static let limit = 33.7

    /// - Parameter trips: in the order of time, in seconds.
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

    /// Ranks from 1; equal values share theirs.
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
