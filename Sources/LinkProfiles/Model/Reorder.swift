// SPDX-License-Identifier: Apache-2.0

/// Packets that skip the delay and so overtake others, as in tc-netem(8).
public struct Reorder: Hashable, Sendable {
    /// The share of the candidates that overtake.
    public var probability: Probability
    /// Every how many packets one is a candidate.
    public var gap: Int

    /// Makes reordering of every `gap`th packet with `probability`.
    public init(probability: Probability, gap: Int = 1) {
        self.probability = probability
        self.gap = gap
    }
}
