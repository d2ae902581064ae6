// SPDX-License-Identifier: Apache-2.0

/// The variation of the delay around its mean. A delay below zero counts as zero.
public struct Jitter: Hashable, Sendable {
    /// The shape of the variation.
    public enum Distribution: String, CaseIterable, Sendable {
        /// All delays from `delay - amount` to `delay + amount` are equally likely.
        case uniform
        /// The normal distribution.
        case normal
        /// The Pareto distribution, with a long tail of late packets.
        case pareto
        /// A quarter normal, three quarters Pareto, as in tc-netem(8).
        case paretonormal
    }

    /// The half-width of a uniform distribution, the standard deviation of the others.
    public var amount: Duration
    /// The shape of the variation.
    public var distribution: Distribution
    /// Whether packets keep their order: each packet then waits for the packets before it.
    public var ordered: Bool

    /// Makes jitter, uniform and ordered by default.
    public init(amount: Duration, distribution: Distribution = .uniform, ordered: Bool = true) {
        self.amount = amount
        self.distribution = distribution
        self.ordered = ordered
    }
}
