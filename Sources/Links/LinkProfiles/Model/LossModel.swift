// SPDX-License-Identifier: Apache-2.0

/// A model of packet loss.
public enum LossModel: Hashable, Sendable {
    /// Each packet independently with this probability.
    case random(Probability)
    /// Packets chosen at random, but only so many in a row.
    case limited(LimitedBursts)
    /// Losses in bursts, by a Markov chain of a good and a bad state.
    case gilbertElliott(GilbertElliott)
    /// Losses by the four-state chain of tc-netem(8).
    case fourState(FourState)

    /// The long-run share of packets lost.
    public var meanLoss: Double {
        switch self {
        case .random(let probability): probability.fraction
        case .limited(let bursts): bursts.mean
        case .gilbertElliott(let chain): chain.meanLoss
        case .fourState(let chain): chain.meanLoss
        }
    }
}

/// The Gilbert-Elliott chain (E. O. Elliott, Bell System Technical Journal 42, 1963), stepped once a packet.
public struct GilbertElliott: Hashable, Sendable {
    /// The parameters by which the profile describes the chain; both forms describe the same chains.
    public enum Spelling: Hashable, Sendable {
        /// Observable figures: the mean loss, and the mean length of a burst in packets.
        case burst(loss: Probability, packets: Double)
        /// The chain's own probabilities.
        case chain(p: Probability, r: Probability, lossInBad: Probability, lossInGood: Probability)
    }

    /// The parameters by which the profile describes the chain.
    public let spelling: Spelling
    /// The probability of going from the good to the bad state.
    public let p: Probability
    /// The probability of going from the bad to the good state.
    public let r: Probability
    /// The probability of loss in the bad state.
    public let lossInBad: Probability
    /// The probability of loss in the good state.
    public let lossInGood: Probability

    /// Makes a chain that loses the share `loss`, in bursts of `packets` packets on average: r = 1/packets,
    /// p = loss * r / (1 - loss).
    ///
    /// Returns nil if no such chain exists: for bursts shorter than one packet, or shorter than loss / (1 - loss).
    public init?(loss: Probability, burst packets: Double) {
        // Compares products with the exact complement: a quotient would reject 80 % in bursts of 4 because of a
        // rounding error.
        guard packets >= 1, loss < .one, loss.fraction <= packets * loss.complement.fraction else { return nil }
        spelling = .burst(loss: loss, packets: packets)
        p = Probability(fraction: loss.fraction / (1 - loss.fraction) / packets)
        r = Probability(fraction: 1 / packets)
        (lossInBad, lossInGood) = (.one, .zero)
    }

    /// Makes a chain from its transition and loss probabilities; by default the bad state loses all packets, the good
    /// state none.
    public init(p: Probability, r: Probability, lossInBad: Probability = .one, lossInGood: Probability = .zero) {
        spelling = .chain(p: p, r: r, lossInBad: lossInBad, lossInGood: lossInGood)
        (self.p, self.r, self.lossInBad, self.lossInGood) = (p, r, lossInBad, lossInGood)
    }

    /// The long-run share of packets lost; the good state's probability of loss if the chain never changes its state.
    public var meanLoss: Double {
        if case .burst(let loss, _) = spelling { return loss.fraction }
        let moves = p.fraction + r.fraction
        guard moves > 0 else { return lossInGood.fraction }
        return (lossInGood.fraction * r.fraction + lossInBad.fraction * p.fraction) / moves
    }

    /// The mean time in the bad state, in packets; nil if the chain never returns to the good state.
    public var meanBurst: Double? {
        if case .burst(_, let packets) = spelling { return packets }
        return r.fraction > 0 ? 1 / r.fraction : nil
    }
}

/// The four-state chain of tc-netem(8) (S. Salsano et al., "Definition of a general and intuitive loss model for
/// packet networks", 2009): 1 received in a gap, 2 received in a burst, 3 lost in a burst, 4 isolated loss.
public struct FourState: Hashable, Sendable {
    /// The probability of going from the gap (state 1) to a loss in a burst (3).
    public var p13: Probability
    /// The probability of going from a loss in a burst (3) to the gap (1).
    public var p31: Probability
    /// The probability of going from a loss in a burst (3) to received within the burst (2).
    public var p32: Probability
    /// The probability of going from received within a burst (2) to a loss in the burst (3).
    public var p23: Probability
    /// The probability of going from the gap (1) to an isolated loss (4).
    public var p14: Probability

    /// Makes a chain; a parameter that is nil has the default of tc-netem(8).
    public init(
        p13: Probability,
        p31: Probability? = nil,
        p32: Probability? = nil,
        p23: Probability? = nil,
        p14: Probability? = nil
    ) {
        self.p13 = p13
        self.p31 = p31 ?? p13.complement
        self.p32 = p32 ?? .zero
        self.p23 = p23 ?? .one
        self.p14 = p14 ?? .zero
    }

    /// The long-run share of packets lost, from the chain's stationary distribution.
    public var meanLoss: Double {
        // Weights relative to state 1: state 4 always returns to state 1; p13 and p31 connect state 1 and the burst.
        let alone = p14.fraction
        guard p13.fraction > 0 else { return alone / (1 + alone) }
        guard p31.fraction > 0 else { return p32.fraction > 0 ? p23.fraction / (p23.fraction + p32.fraction) : 1 }
        let lost = p13.fraction / p31.fraction
        let received = p32.fraction > 0 ? lost * p32.fraction / max(p23.fraction, .leastNormalMagnitude) : 0
        return (lost + alone) / (1 + alone + lost + received)
    }
}
