// SPDX-License-Identifier: Apache-2.0

public import LinkProfiles

/// Delay distributions as netem takes them: quantiles at equal steps, `unit` a standard deviation, mean 0.
///
/// The same figures as the netem engine sends to the kernel, from arithmetic that IEEE 754 fixes to the last bit
/// (+, -, *, / and square root), so that a seed means the same delays with every C library.
public enum DelayTable {
    static let indexBits: UInt64 = 12
    /// The number of quantiles.
    public static let size = 1 << Int(indexBits)
    /// What stands for one standard deviation (NETEM_DIST_SCALE in sch_netem.c).
    public static let unit: Int64 = 8192

    /// The table for `distribution`; empty for uniform, which needs none.
    public static func values(for distribution: Jitter.Distribution) -> [Int16] {
        switch distribution {
        case .uniform: []
        case .normal: normal
        case .pareto: pareto
        case .paretonormal: paretonormal
        }
    }

    private static let normal = table(Quantile.normal)
    private static let pareto = table(Quantile.pareto)
    private static let paretonormal = table { 0.25 * Quantile.normal($0) + 0.75 * Quantile.pareto($0) }

    /// Scales quantiles to mean 0 and standard deviation 1 *after* cutting off what 16 bits cannot hold
    /// (four standard deviations): the cut moves both, so the scaling is repeated until it settles.
    private static func table(_ quantile: (Double) -> Double) -> [Int16] {
        var values = (0..<size).map { quantile((Double($0) + 0.5) / Double(size)) }
        let limit = Double(Int16.max) / Double(unit)
        for _ in 0..<60 {
            let mean = values.reduce(0, +) / Double(size)
            let variance = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(size)
            let deviation = variance.squareRoot()
            for index in values.indices {
                values[index] = min(max((values[index] - mean) / deviation, -limit), limit)
            }
        }
        return values.map { Int16($0 * Double(unit) + ($0 < 0 ? -0.5 : 0.5)) }
    }
}
