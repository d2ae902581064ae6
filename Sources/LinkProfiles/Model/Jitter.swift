// SPDX-License-Identifier: Apache-2.0

/// How the delay varies around its mean. A delay below zero is zero.
public struct Jitter: Hashable, Sendable {
    /// The shape of the variation.
    public enum Distribution: String, CaseIterable, Sendable {
        /// Every delay from `delay - amount` to `delay + amount` is as likely.
        case uniform
        /// The bell curve.
        case normal
        /// A long tail of late packets.
        case pareto
        /// A quarter normal, three quarters Pareto, as in tc-netem(8).
        case paretonormal
    }

    /// The half-width of a uniform distribution, the standard deviation of the others.
    public var amount: Duration
    /// The shape of the variation.
    public var distribution: Distribution
    /// Whether a packet leaves no earlier than the one before it, so that the delays are a running maximum.
    public var ordered: Bool

    /// Makes jitter; uniform and ordered where nothing else is said.
    public init(amount: Duration, distribution: Distribution = .uniform, ordered: Bool = true) {
        self.amount = amount
        self.distribution = distribution
        self.ordered = ordered
    }
}
