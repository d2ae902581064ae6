// SPDX-License-Identifier: Apache-2.0

/// Reordering: some packets skip the delay and overtake others, as in tc-netem(8).
public struct Reorder: Hashable, Sendable {
    /// The share of the candidates that overtake.
    public var probability: Probability
    /// The interval between candidates, in packets.
    public var gap: Int

    /// Makes reordering of every `gap`th packet with `probability`.
    public init(probability: Probability, gap: Int = 1) {
        self.probability = probability
        self.gap = gap
    }
}
