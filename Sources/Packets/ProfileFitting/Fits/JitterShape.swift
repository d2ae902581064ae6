// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import LinkEmulation
internal import LinkProfiles
internal import Statistics

/// The distribution of round trips over a link with the same kind of jitter in both directions.
struct JitterShape: Sendable {
    let kind: Jitter.Distribution
    /// Quantiles at equal steps of the sum of both directions' variations, for an amount of 1.
    private let quantiles: [Double]
    /// Quantiles at equal steps of one direction's variation, for an amount of 1.
    private let single: [Double]

    static let all = Jitter.Distribution.allCases.map(JitterShape.init)

    private static let steps = 512
    private static let coarseSteps = 128

    private init(_ kind: Jitter.Distribution) {
        self.kind = kind
        let table = DelayTable.values(for: kind).map { Double($0) / Double(DelayTable.unit) }
        single = (0..<Self.coarseSteps).map { index in
            let share = (Double(index) + 0.5) / Double(Self.coarseSteps)
            return table.isEmpty ? 2 * share - 1 : table.midpointQuantile(share)
        }
        quantiles = Self.sums(of: single, steps: Self.steps)
    }

    /// Quantiles of the sum of two independent variations.
    private static func sums(of single: [Double], steps: Int) -> [Double] {
        let all = single.flatMap { first in single.map { first + $0 } }.sorted()
        return (0..<steps).map { all.midpointQuantile((Double($0) + 0.5) / Double(steps)) }
    }

    /// Quantiles of the round trip, for a delay and an amount of jitter in each direction. One-way delays below zero
    /// count as 0.
    func trips(delay: Double, amount: Double) -> [Double] {
        guard delay + amount * (single.first ?? 0) < 0 else { return quantiles.map { 2 * delay + amount * $0 } }
        return Self.sums(of: single.map { max(delay + amount * $0, 0) }, steps: Self.steps)
    }
}

/// A distribution function given by quantiles at equal steps.
struct QuantileTable: Sendable {
    let quantiles: [Double]

    /// The probability of a value of at most `value`.
    func probability(_ value: Double) -> Double {
        var (low, high) = (0, quantiles.count)
        while low < high {
            let middle = (low + high) / 2
            if quantiles[middle] <= value { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return 0 }
        guard low < quantiles.count else { return 1 }
        let gap = quantiles[low] - quantiles[low - 1]
        let part = gap > 0 ? (value - quantiles[low - 1]) / gap : 0
        return (Double(low) - 0.5 + part) / Double(quantiles.count)
    }

    /// The log-likelihood of sorted values, grouped in classes of equal width, so that tails count: kinds of jitter
    /// differ there most. Each class has a least probability, so that no single value rules a kind out.
    func logLikelihood(of sorted: [Double]) -> Double {
        let (low, high) = (sorted.midpointQuantile(0.001), sorted.midpointQuantile(0.999))
        let classes = 50
        var (sum, index, previousCumulative) = (0.0, 0, 0.0)
        for edgeNumber in 1...classes + 1 {
            let edge = edgeNumber > classes ? .infinity : low + (high - low) * Double(edgeNumber) / Double(classes)
            let (start, cumulative) = (index, edgeNumber > classes ? 1 : probability(edge))
            while index < sorted.count, sorted[index] <= edge { index += 1 }
            sum += Double(index - start) * log(max(cumulative - previousCumulative, 1e-4))
            previousCumulative = cumulative
        }
        return sum
    }

    /// The Kolmogorov-Smirnov distance from sorted values that were rounded to `resolution`.
    func distance(from sorted: [Double], _ resolution: TimeResolution) -> Double {
        let count = Double(sorted.count)
        var (index, largest) = (0, 0.0)
        while index < sorted.count {
            let value = sorted[index]
            let below = Double(index) / count
            while index < sorted.count, sorted[index] == value { index += 1 }
            let half = resolution.step(at: value) / 2
            largest = max(largest, abs(probability(value - half) - below))
            largest = max(largest, abs(probability(value + half) - Double(index) / count))
        }
        return largest
    }
}
