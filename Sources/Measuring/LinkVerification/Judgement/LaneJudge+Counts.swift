// SPDX-License-Identifier: Apache-2.0

internal import LinkEmulation
internal import LinkProfiles
internal import Statistics

/// Losses, bursts, duplicates and other counts: judged by their exact distribution where it is known, else by the
/// scatter of the model's runs.
extension LaneJudge {
    private var figures: Impairments { model.conditions.base }
    /// Whether packets are lost only by the loss model, which stays the same throughout.
    private var losesByModelOnly: Bool { !damages && !model.isScheduled && !marksInstead }
    private var damages: Bool { figures.corrupt.map { $0 > .zero } ?? false }
    private var marksInstead: Bool { sent.isECNCapable && figures.ecn == true }

    private func finding(_ aspect: Aspect, _ value: (FlowRecord) -> Int, _ record: FlowRecord, slack: Double)
        -> LinkFinding
    {
        let (mean, reach) = prediction(models.map { Double(value($0)) })
        return LinkFinding(
            aspect,
            modelled: mean,
            measured: Double(value(record)),
            allowed: mean - reach - slack...mean + reach + slack
        )
    }

    private func bounds(_ distribution: CountDistribution) -> ClosedRange<Double> {
        let range = distribution.bounds(error: error)
        return Double(range.lowerBound)...Double(range.upperBound)
    }

    func losses(_ record: FlowRecord, _ machine: MachineNoise) -> LinkFinding {
        let mean = models.map { Double($0.losses) }.mean
        var allowed: ClosedRange<Double>
        let packets = record.sends.count
        switch figures.loss {
        case .random(let share) where losesByModelOnly:
            allowed = bounds(.binomial(trials: packets, probability: share.fraction))
        // A chain that never changes its state has no stationary share of losses.
        case .gilbertElliott(let chain) where losesByModelOnly && chain.p.fraction + chain.r.fraction > 0:
            allowed = bounds(
                .losses(
                    of: packets,
                    toBad: chain.p.fraction,
                    toGood: chain.r.fraction,
                    lossInBad: chain.lossInBad.fraction,
                    lossInGood: chain.lossInGood.fraction
                )
            )
        case nil where losesByModelOnly: allowed = mean...mean
        default: allowed = finding(.losses, \.losses, record, slack: 1).allowed
        }
        if damages {
            // If a flipped bit hits the payload only, the damaged packet is not lost: the lower bound.
            let spared = models.indices.map { number in
                Self.record(model, sent, seed: UInt64(1000 + number), damagesHeaders: false)
            }
            let (mean, reach) = prediction(spared.map { Double($0.losses) })
            allowed = min(allowed.lowerBound, mean - reach)...allowed.upperBound
        }
        // A kernel queue overflows while this machine wakes no process.
        let excuse = Double(machine.lost(of: record.sends))
        return LinkFinding(
            .losses,
            modelled: mean,
            measured: Double(record.losses),
            allowed: allowed,
            excusable: allowed.lowerBound...allowed.upperBound + excuse
        )
    }

    /// The probability that a burst of losses ends after a lost packet, where it is constant; nil for other loss
    /// models.
    private var burstEnd: Double? {
        switch figures.loss {
        case .random(let share) where share < .one: 1 - share.fraction
        case .gilbertElliott(let chain) where chain.lossInBad == .one && chain.lossInGood == .zero && chain.r > .zero:
            chain.r.fraction
        default: nil
        }
    }

    /// The packets by which bursts may be longer in one run than in a dozen runs of the model, by chance.
    private static let unseenBursts = 3.0

    func meanBurst(_ record: FlowRecord) -> LinkFinding? {
        let bursts = record.bursts
        guard !bursts.isEmpty, models.contains(where: { !$0.bursts.isEmpty }) else { return nil }
        let means = models.map(\.meanBurst)
        let allowed: ClosedRange<Double>
        if losesByModelOnly, let end = burstEnd {
            let count = Double(bursts.count)
            let range = bounds(.burstTotal(bursts: bursts.count, end: end))
            allowed = range.lowerBound / count...range.upperBound / count
        } else {
            // A dozen runs in which all losses were single ones have no scatter, and the next one may have a burst.
            let (mean, reach) = prediction(means)
            let few = Self.unseenBursts / Double(bursts.count)
            allowed = mean - reach - few...mean + reach + few
        }
        return LinkFinding(
            .meanBurst,
            modelled: means.mean,
            measured: record.meanBurst,
            allowed: allowed
        )
    }

    /// The longest burst, which may not be longer than the figures allow; nil without such a limit, and where packets are
    /// lost by something else, too.
    func longestBurst(_ record: FlowRecord) -> LinkFinding? {
        guard case .limited(let limit) = figures.loss, losesByModelOnly, let longest = record.bursts.max() else {
            return nil
        }
        return LinkFinding(
            .longestBurst,
            modelled: models.map { Double($0.bursts.max() ?? 0) }.mean,
            measured: Double(longest),
            allowed: 0...Double(limit.longest)
        )
    }

    func duplicates(_ record: FlowRecord) -> LinkFinding {
        let share = figures.duplicate?.fraction ?? 0
        guard share > 0, !model.isScheduled else { return finding(.duplicates, \.duplicates, record, slack: 0) }
        let came = record.sends.count - record.losses
        return LinkFinding(
            .duplicates,
            modelled: share * Double(came),
            measured: Double(record.duplicates),
            allowed: bounds(.binomial(trials: came, probability: share))
        )
    }

    func damaged(_ record: FlowRecord) -> LinkFinding {
        let damaged = Double(record.arrivals.count(where: \.isDamaged))
        let share = figures.meanCorruption ?? 0
        guard share > 0, !model.isScheduled else {
            return finding(.damaged, { $0.arrivals.count(where: \.isDamaged) }, record, slack: 0)
        }
        // netem flips a bit anywhere in the frame, the userspace engine a bit of the payload: both are allowed.
        let (frame, packet) = (sent.frameBytes, sent.frameBytes - 14)
        let payload = frame - ProbeTraffic.headerBytes
        func bits(_ whole: Int) -> ClosedRange<Double> {
            bounds(
                .binomial(trials: record.arrivals.count, probability: share * Double(payload) / Double(whole))
            )
        }
        return LinkFinding(
            .damaged,
            modelled: share * Double(payload) / Double(packet) * Double(record.arrivals.count),
            measured: damaged,
            allowed: bits(frame).lowerBound...bits(payload).upperBound
        )
    }

    func marked(_ record: FlowRecord) -> LinkFinding {
        let count = { (record: FlowRecord) in record.arrivals.count(where: \.isMarked) }
        guard case .random(let share) = figures.loss, marksInstead, !model.isScheduled else {
            return finding(.marked, count, record, slack: 0)
        }
        return LinkFinding(
            .marked,
            modelled: share.fraction * Double(record.sends.count),
            measured: Double(count(record)),
            allowed: bounds(.binomial(trials: record.sends.count, probability: share.fraction))
        )
    }

    func overtaken(_ record: FlowRecord) -> LinkFinding {
        finding(.overtaken, \.overtaken, record, slack: models.contains { $0.overtaken > 0 } ? 1 : 0)
    }
}
