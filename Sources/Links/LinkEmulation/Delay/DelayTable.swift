// SPDX-License-Identifier: Apache-2.0

public import LinkProfiles

/// Delay distributions in netem's format: quantiles at equal steps, with mean 0 and standard deviation `unit`.
///
/// Both engines use these tables. They are computed with operations that IEEE 754 defines exactly (+, -, *, / and
/// square root), so that a seed gives the same delays with every C library.
public enum DelayTable {
    static let indexBits: UInt64 = 12
    /// The number of quantiles.
    public static let size = 1 << Int(indexBits)
    /// The value of one standard deviation (NETEM_DIST_SCALE in sch_netem.c).
    public static let unit: Int64 = 8192

    /// Returns the table of `distribution`; empty for uniform, which needs none.
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

    /// Scales quantiles to mean 0 and standard deviation 1 after truncation to 16 bits (four standard deviations).
    /// Truncation changes both, so the scaling is repeated until it converges.
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
