// SPDX-License-Identifier: Apache-2.0

import Glibc
internal import LinkProfiles

/// Delay distributions as netem takes them: quantiles at equal steps, 8192 a standard deviation, mean 0.
///
/// Computed here because tc's own files lie where a distribution pleases, and because theirs are not scaled to a
/// standard deviation of one, while a profile's `amount` is the standard deviation.
enum DelayTable {
    static let size = 4096
    static let unit = 8192.0

    /// The table for `distribution`; empty for uniform, which the kernel does without one.
    static func values(for distribution: Jitter.Distribution) -> [Int16] {
        switch distribution {
        case .uniform: []
        case .normal: table(normal)
        case .pareto: table(pareto)
        case .paretonormal: table { 0.25 * normal($0) + 0.75 * pareto($0) }
        }
    }

    /// Scales quantiles to mean 0 and standard deviation 1 *after* cutting off what 16 bits cannot hold
    /// (four standard deviations): the cut moves both, so the scaling is repeated until it settles.
    private static func table(_ quantile: (Double) -> Double) -> [Int16] {
        var values = (0..<size).map { quantile((Double($0) + 0.5) / Double(size)) }
        for _ in 0..<60 {
            let mean = values.reduce(0, +) / Double(size)
            let variance = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(size)
            let limit = Double(Int16.max) / unit
            values = values.map { min(max(($0 - mean) / variance.squareRoot(), -limit), limit) }
        }
        return values.map { Int16(($0 * unit).rounded()) }
    }

    /// Shape 3, the smallest whole one with a finite standard deviation, as tc's own table has.
    private static func pareto(_ probability: Double) -> Double {
        pow(1 - probability, -1.0 / 3.0)
    }

    /// The inverse of the normal distribution by Newton's method on the error function.
    private static func normal(_ probability: Double) -> Double {
        var x = 0.0
        for _ in 0..<40 {
            let error = 0.5 * erfc(-x / 2.0.squareRoot()) - probability
            let density = exp(-x * x / 2) / (2 * Double.pi).squareRoot()
            // A full step from the middle would leave the range in which the density is above zero.
            x -= min(max(error / density, -0.5), 0.5)
        }
        return x
    }
}
