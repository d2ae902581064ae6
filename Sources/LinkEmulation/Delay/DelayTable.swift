// SPDX-License-Identifier: Apache-2.0

public import LinkProfiles

/// Delay distributions as netem takes them: quantiles at equal steps, `unit` a standard deviation, mean 0.
///
/// The same figures as the netem engine sends to the kernel, from arithmetic that IEEE 754 fixes to the last bit
/// (+, -, *, / and square root), so that a seed means the same delays with every C library.
public enum DelayTable {
    static let indexBits = 12
    /// The number of quantiles.
    public static let size = 1 << indexBits
    /// What stands for one standard deviation (NETEM_DIST_SCALE in sch_netem.c).
    public static let unit: Int64 = 8192

    /// The table for `distribution`; empty for uniform, which needs none.
    public static func values(for distribution: Jitter.Distribution) -> [Int16] {
        []
    }
}
