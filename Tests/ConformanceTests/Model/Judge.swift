// SPDX-License-Identifier: Apache-2.0

import LinkEmulation
import LinkProfiles
import TestKit

/// Holds what became of one direction's packets to the model.
struct Judge {
    private let link: Link
    private let model: LaneModel
    private let aspects: [Aspect]
    /// The chance with which a right record may fail an aspect.
    private let error: Double
    /// What a right engine could have made of the same packets.
    private let models: [FlowRecord]

    /// What an engine's own mean may differ by: half a millisecond, or one in a hundred.
    static func tolerance(_ milliseconds: Double) -> Double { max(0.5, milliseconds / 100) }
    /// What it may differ by from a model that draws the same numbers.
    static let replayTolerance = 0.5
    static let rateTolerance = 0.01

    /// Runs the model on packets that are sent at these times, with as many seeds as it takes to know its scatter.
    init(_ link: Link, _ direction: Direction, sends: [Int64], error: Double = Link.budget.perRun) {
        self.link = link
        self.error = error
        aspects = link.aspects(direction)
        model = LaneModel(link.profile, direction)
        let frameBytes = link.traffic(direction).frameBytes
        models = (1000..<(model.isRandom ? 1012 : 1001)).map { [model] in
            model.record(of: sends, frameBytes: frameBytes, seed: $0)
        }
    }

    /// `seed` is the engine's; nil where it cannot be told one.
    func findings(on record: FlowRecord, _ machine: Machine = Machine(), seed: UInt64? = nil) -> [Finding] {
        var findings = aspects.map { finding($0, record, machine) }
        if let seed, !link.isOverload { findings += replay(record, seed, machine) }
        return findings
    }

    private func finding(_ aspect: Aspect, _ record: FlowRecord, _ machine: Machine) -> Finding {
        switch aspect {
        case .meanDelay:
            return meanDelay(record, machine)
        case .losses:
            let range = losses(of: record.sends.count)
            let bounds = Double(range.lowerBound)...Double(range.upperBound)
            return Finding(aspect: aspect, measured: Double(record.losses), allowed: bounds)
        case .meanBurst:
            return meanBurst(record)
        case .shape:
            let modelled = models.flatMap(\.delays)
            let measured = record.delays.map { $0 - machine.ownDelay }
            let limit = KolmogorovSmirnov.limit(measured.count, modelled.count, error: error)
            // No earlier than the model, and no later than a machine like this one would make it.
            let distance = max(
                KolmogorovSmirnov.excess(of: measured, over: modelled),
                KolmogorovSmirnov.excess(of: machine.late(modelled), over: measured)
            )
            return Finding(aspect: aspect, measured: distance, allowed: 0...limit)
        case .filling:
            let rate = Double(model.conditions.base.rate?.bitsPerSecond ?? 0)
            let share = Statistics.mean(models.map(\.rate)) / rate
            return Finding(aspect: aspect, measured: share, allowed: 0.98...1.001)
        case .rate:
            let share = record.rate / Statistics.mean(models.map(\.rate))
            return Finding(aspect: aspect, measured: share, allowed: 1 - Self.rateTolerance...1 + Self.rateTolerance)
        case .overtaken, .otherFates, .delayDifference:
            return Finding(aspect: .overtaken, measured: Double(record.overtaken), allowed: 0...0)
        }
    }

    /// Within the tolerance of where one more run of the model would be, of which the others tell (a prediction interval
    /// of normal values: the means of hundreds of delays).
    private func meanDelay(_ record: FlowRecord, _ machine: Machine) -> Finding {
        let means = models.map { Statistics.mean($0.delays) }
        let mean = Statistics.mean(means)
        var scatter = 0.0
        if means.count > 1 {
            let reach = StudentDistribution(degreesOfFreedom: means.count - 1).limit(error: error)
            scatter = reach * (Statistics.variance(means) * (1 + 1 / Double(means.count))).squareRoot()
        }
        let reach = Self.tolerance(mean) + scatter
        let measured = Statistics.mean(record.delays) - machine.ownDelay
        let allowed = mean - reach...mean + reach + machine.meanLateness
        return Finding(aspect: .meanDelay, measured: measured, allowed: allowed)
    }

    private func losses(of packets: Int) -> ClosedRange<Int> {
        switch model.conditions.base.loss {
        case .random(let share):
            CountDistribution.binomial(trials: packets, probability: share.fraction).bounds(error: error)
        case .gilbertElliott(let chain):
            CountDistribution.losses(
                of: packets,
                toBad: chain.p.fraction,
                toGood: chain.r.fraction,
                lossInBad: chain.lossInBad.fraction,
                lossInGood: chain.lossInGood.fraction
            ).bounds(error: error)
        case nil, .fourState:
            // Which no link here has.
            0...0
        }
    }

    private func meanBurst(_ record: FlowRecord) -> Finding {
        let bursts = record.bursts
        guard case .gilbertElliott(let chain) = model.conditions.base.loss, !bursts.isEmpty else {
            return Finding(aspect: .meanBurst, measured: 0, allowed: 1...1)
        }
        let count = Double(bursts.count)
        let range = CountDistribution.burstTotal(bursts: bursts.count, end: chain.r.fraction).bounds(error: error)
        let bounds = Double(range.lowerBound) / count...Double(range.upperBound) / count
        return Finding(aspect: .meanBurst, measured: Double(bursts.reduce(0, +)) / count, allowed: bounds)
    }

    /// Against the model with the same seed, packet for packet.
    private func replay(_ record: FlowRecord, _ seed: UInt64, _ machine: Machine) -> [Finding] {
        let same = model.record(of: record.sends, frameBytes: record.frameBytes, seed: seed)
        let pairs = zip(record.firstTimes, same.firstTimes)
        let others = pairs.count { ($0 == nil) != ($1 == nil) }
        let differences = pairs.compactMap { measured, modelled in
            if let measured, let modelled { Double(measured - modelled) / 1e6 - machine.ownDelay } else { nil }
        }
        let reach = -Self.replayTolerance...Self.replayTolerance + machine.meanLateness
        return [
            Finding(aspect: .otherFates, measured: Double(others), allowed: 0...0),
            Finding(aspect: .delayDifference, measured: Statistics.mean(differences), allowed: reach),
        ]
    }
}
