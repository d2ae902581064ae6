// SPDX-License-Identifier: Apache-2.0

/// Packets chosen at random, of which at most a number are in a row: the packet after a longest burst is spared, whatever
/// its random number. So quic-network-simulator loses and corrupts packets (drop-rate-error-model.cc).
public struct LimitedBursts: Hashable, Sendable {
    /// The chance of each packet that may be chosen. The share of all packets is smaller: `mean`.
    public var chance: Probability
    /// The largest number of packets in a row.
    public var longest: Int

    /// Makes bursts of at most `longest` packets.
    public init(chance: Probability, longest: Int) {
        self.chance = chance
        self.longest = longest
    }

    /// The long-run share of packets that are chosen.
    public var mean: Double {
        // Between two spared packets there are k chosen ones with probability p^k (1 - p), and `longest` with p^longest:
        // p + p^2 + ... + p^longest on average.
        let p = chance.fraction
        guard p < 1 else { return Double(longest) / Double(longest + 1) }
        let chosen = p * (1 - p.power(longest)) / (1 - p)
        return chosen / (1 + chosen)
    }
}

extension Double {
    /// The power with a whole exponent, computed by multiplications, so that it is the same on every machine.
    fileprivate func power(_ exponent: Int) -> Double {
        var (result, square, rest) = (1.0, self, exponent)
        while rest > 0 {
            if rest % 2 == 1 { result *= square }
            square *= square
            rest /= 2
        }
        return result
    }
}
