// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles
internal import Netlink

extension LaneQdiscs {
    /// The impairments that the qdiscs implement.
    ///
    /// The distribution of jitter is missing: the kernel does not return a delay table.
    package var impairments: Impairments {
        var result = Impairments()
        let netem = path ?? self.netem
        if netem.latency > 0 || netem.jitter > 0 { result.delay = .nanoseconds(netem.latency) }
        if netem.jitter > 0 {
            let isOrdered = netem.rate.bytesPerSecond > 0
            result.jitter = Jitter(amount: .nanoseconds(netem.jitter), ordered: isOrdered)
        }
        result.loss = loss
        result.duplicate = netem.duplicate > 0 ? Self.probability(netem.duplicate) : nil
        result.corrupt = netem.corrupt > 0 ? Self.probability(netem.corrupt) : nil
        if netem.gap > 0 {
            result.reorder = Reorder(probability: Self.probability(netem.reorder), gap: Int(netem.gap))
        }
        let rate = self.netem.rate
        let onlyKeepsOrder = self.netem.jitter > 0 && rate.bytesPerSecond == NetemTranslation.orderingRate
        if rate.bytesPerSecond > 0, !onlyKeepsOrder {
            result.rate = BitRate(bitsPerSecond: rate.bytesPerSecond.multipliedReportingOverflow(by: 8).partialValue)
            if rate.packetOverhead != 0 || rate.cellSize != 0 {
                result.overhead = Overhead(
                    packet: Int(rate.packetOverhead),
                    cell: rate.cellSize > 0 ? Int(rate.cellSize) : nil,
                    cellOverhead: rate.cellSize > 0 ? Int(rate.cellOverhead) : nil
                )
            }
        }
        if netem.ecn { result.ecn = true }
        if let policer {
            // The queue is exact to the microsecond: the kernel has rounded it up to its ticks.
            result.queue = .time(.microseconds(UInt64(policer.burst) * Policer.tick / 1000))
        }
        return result
    }

    private var loss: LossModel? {
        switch (path ?? netem).loss {
        case .random(let share): share > 0 ? .random(Self.probability(share)) : nil
        case .gilbertElliott(let p, let r, let bad, let good):
            .gilbertElliott(
                GilbertElliott(
                    p: Self.probability(p),
                    r: Self.probability(r),
                    lossInBad: Self.probability(bad),
                    lossInGood: Self.probability(good)
                )
            )
        case .fourState(let p13, let p31, let p32, let p14, let p23):
            .fourState(
                FourState(
                    p13: Self.probability(p13),
                    p31: Self.probability(p31),
                    p32: Self.probability(p32),
                    p23: Self.probability(p23),
                    p14: Self.probability(p14)
                )
            )
        }
    }

    /// Rounded to a millionth of a percent, about the kernel's resolution.
    private static func probability(_ share: Netem.Fraction) -> Probability {
        Probability(fraction: (Double(share) / Double(UInt32.max) * 1e8).rounded() / 1e8)
    }
}
