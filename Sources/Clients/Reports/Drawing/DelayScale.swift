// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A scale for delays in seconds: linear from zero, or logarithmic if the longest delay would leave no height for the
/// usual ones.
struct DelayScale {
    /// The ratio of the longest delay to the usual ones above which the scale is logarithmic.
    private static let widest = 10.0
    /// The maximum number of ticks.
    private static let tickLimit = 4

    /// Whether the scale is logarithmic: equal heights are equal factors.
    let isLogarithmic: Bool
    /// The values of the scale's lines, in order.
    let ticks: [Double]
    private let lower: Double
    private let upper: Double

    /// Makes a scale up to `maximum`; usual delays start at `minimum`, which is above zero.
    init(_ minimum: Double, _ maximum: Double) {
        guard maximum > minimum * Self.widest else {
            let scale = Scale(maximum, count: 3)
            (isLogarithmic, ticks, lower, upper) = (false, scale.ticks, 0, scale.top)
            return
        }
        isLogarithmic = true
        // Delays below 1/100,000 of the maximum are drawn at the bottom.
        let first = 1 / Scale.round(1 / max(minimum, maximum / 1e5))
        upper = Scale.round(maximum)
        lower = first
        let limit = upper * (1 + 1e-9)
        let all = Array(sequence(first: first) { Scale.round($0 * 1.5) }.prefix { $0 <= limit })
        let decades = all.filter { (log10($0) - log10($0).rounded()).magnitude < 1e-6 }
        let ends = decades.count < 2 ? [first] + decades + [upper] : decades
        let chosen = all.count <= Self.tickLimit ? all : ends
        let step = (chosen.count + Self.tickLimit - 1) / Self.tickLimit
        ticks = stride(from: (chosen.count - 1) % step, to: chosen.count, by: step).map { chosen[$0] }
    }

    /// The position of a delay: 0 at the bottom, 1 at the top.
    func share(_ value: Double) -> Double {
        let share = isLogarithmic ? log(max(value, lower) / lower) / log(upper / lower) : value / upper
        return min(max(share, 0), 1)
    }
}
