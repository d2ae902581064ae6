// SPDX-License-Identifier: Apache-2.0

internal import LinkEmulation
internal import LinkProfiles

/// The random numbers of one candidate timeline, derived from the seed and the timeline's number.
struct RandomDraws: RandomNumberGenerator {
    private let seed: UInt64
    private var index: UInt64 = 0

    init(seed: UInt64, number: Int) { self.seed = SplitMix64.value(seed: seed, index: UInt64(number)) }

    mutating func next() -> UInt64 {
        defer { index += 1 }
        return SplitMix64.value(seed: seed, index: index)
    }

    /// One of `choices`; nil if there are none.
    mutating func pick<Choice>(_ choices: [Choice]) -> Choice? { choices.randomElement(using: &self) }

    /// Returns true with the given probability.
    mutating func happens(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &self) < probability }

    /// Draws a number between `mild` and `harsh`, on a logarithmic scale: at `share` (0 to 1) of the distance, ± 0.15.
    mutating func scaled(from mild: Double, to harsh: Double, _ share: Double) -> Double {
        let way = min(max(share + Double.random(in: -0.15...0.15, using: &self), 0), 1)
        return mild * (harsh / mild).power(way)
    }

    /// Draws a fraction of a time within `range`, rounded to two digits.
    mutating func part(of time: Duration, _ range: ClosedRange<Double>) -> Duration {
        (time * Double.random(in: range, using: &self)).readable
    }
}

extension Double {
    /// The number rounded to two significant digits.
    var readable: Double {
        guard self > 0 else { return 0 }
        var scale = 1.0
        while self / scale >= 100 { scale *= 10 }
        while self / scale < 10 { scale /= 10 }
        return (self / scale).rounded() * scale
    }
}

extension Duration {
    /// The time rounded to two significant digits and to whole milliseconds, at least one.
    var readable: Duration {
        .milliseconds(Int64(max((self / .milliseconds(1)).readable.rounded(), 1)))
    }
}
