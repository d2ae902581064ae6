// SPDX-License-Identifier: Apache-2.0

internal import LinkEmulation
internal import LinkProfiles

/// The random numbers of one candidate, by the seed and its number.
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

    /// True with this probability.
    mutating func happens(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &self) < probability }

    /// A number between both, each order of magnitude as likely; `share` of the way, give or take a fifth.
    mutating func scaled(from mild: Double, to harsh: Double, _ share: Double) -> Double {
        let way = min(max(share + Double.random(in: -0.15...0.15, using: &self), 0), 1)
        return mild * (harsh / mild).power(way)
    }

    /// A part of a time, readable.
    mutating func part(of time: Duration, _ range: ClosedRange<Double>) -> Duration {
        (time * Double.random(in: range, using: &self)).readable
    }
}

extension Double {
    /// Rounded to two digits.
    var readable: Double {
        guard self > 0 else { return 0 }
        var scale = 1.0
        while self / scale >= 100 { scale *= 10 }
        while self / scale < 10 { scale /= 10 }
        return (self / scale).rounded() * scale
    }
}

extension Duration {
    /// Rounded to two digits, to a millisecond at least.
    var readable: Duration {
        .milliseconds(Int64(max((self / .milliseconds(1)).readable.rounded(), 1)))
    }
}
