// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// The parameters of a loss model, as thresholds for random numbers.
enum LossFigures: Sendable {
    case none
    case random(Chance)
    case limited(Chance, longest: Int)
    case gilbertElliott(toBad: Chance, toGood: Chance, lossInBad: Chance, lossInGood: Chance)
    /// The probabilities of a state are cumulative, in the order in which sch_netem.c tests them.
    case fourState(p14: Chance, p14or13: Chance, p23: Chance, p32: Chance, p32or31: Chance)

    init(_ model: LossModel?) {
        switch model {
        case nil: self = .none
        case .random(let probability): self = .random(Chance(probability))
        case .limited(let bursts): self = .limited(Chance(bursts.chance), longest: bursts.longest)
        case .gilbertElliott(let chain):
            self = .gilbertElliott(
                toBad: Chance(chain.p),
                toGood: Chance(chain.r),
                lossInBad: Chance(chain.lossInBad),
                lossInGood: Chance(chain.lossInGood)
            )
        case .fourState(let chain):
            let (alone, back) = (Chance(chain.p14), Chance(chain.p32))
            self = .fourState(
                p14: alone,
                p14or13: alone.or(Chance(chain.p13)),
                p23: Chance(chain.p23),
                p32: back,
                p32or31: back.or(Chance(chain.p31))
            )
        }
    }
}

/// Decides for each packet whether it is lost, as netem does (loss_gilb_ell and loss_4state in sch_netem.c).
///
/// Bursts with a longest length are those of quic-network-simulator (drop-rate-error-model.cc).
///
/// The chain starts in the good state, and keeps its state when a step of the schedule changes the figures.
struct LossProcess: Sendable {
    private enum FourStates: Sendable {
        case receivedInGap, receivedInBurst, lostInBurst, lostAlone
    }

    private var isBad = false
    private var state = FourStates.receivedInGap
    private var burst = BurstLimit()

    /// Decides whether a packet is dropped, and advances the chain; returns the reason, or nil if the packet passes.
    ///
    /// Random loss takes the random number at the packet's `index`; a chain has memory, and takes the numbers at the
    /// packet's `number` in the lane.
    @inline(__always)
    mutating func dropReason(_ figures: LossFigures, index: UInt64, number: UInt64, _ streams: RandomStreams)
        -> DropReason?
    {
        switch figures {
        case .none:
            return nil
        case .random(let chance):
            return chance.hits(SplitMix64.value(seed: streams.loss, index: index)) ? .randomLoss : nil
        case .limited(let chance, let longest):
            let hits = chance.hits(SplitMix64.value(seed: streams.loss, index: number))
            return burst.admits(hits, longest: longest) ? .randomLoss : nil
        case .gilbertElliott(let toBad, let toGood, let lossInBad, let lossInGood):
            let wasBad = isBad
            let step = SplitMix64.value(seed: streams.lossState, index: number)
            if wasBad { isBad = !toGood.hits(step) } else { isBad = toBad.hits(step) }
            let isLost = (wasBad ? lossInBad : lossInGood).hits(SplitMix64.value(seed: streams.loss, index: number))
            return isLost ? (wasBad ? .burstLoss : .randomLoss) : nil
        case .fourState(let p14, let p14or13, let p23, let p32, let p32or31):
            let step = SplitMix64.value(seed: streams.lossState, index: number)
            switch state {
            case .receivedInGap:
                state = p14.hits(step) ? .lostAlone : p14or13.hits(step) ? .lostInBurst : .receivedInGap
            case .receivedInBurst:
                state = p23.hits(step) ? .lostInBurst : .receivedInBurst
            case .lostInBurst:
                state = p32.hits(step) ? .receivedInBurst : p32or31.hits(step) ? .receivedInGap : .lostInBurst
            case .lostAlone:
                state = .receivedInGap
            }
            switch state {
            case .lostInBurst: return .burstLoss
            case .lostAlone: return .randomLoss
            default: return nil
            }
        }
    }
}
