// SPDX-License-Identifier: Apache-2.0

/// SplitMix64 (Steele, Lea and Flood, 2014): the same sequence from the same seed on every machine, so that a failure can
/// be repeated.
public struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    /// Begins the sequence of `seed`.
    public init(seed: UInt64) {
        state = seed
    }

    /// The next 64 bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// True once in `count` times on average.
    public mutating func isOne(in count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }

    /// One of `choices`, which are not empty.
    public mutating func pick<Choice>(_ choices: [Choice]) -> Choice {
        choices[Int.random(in: 0..<choices.count, using: &self)]
    }
}
