// SPDX-License-Identifier: Apache-2.0

internal import Statistics

/// Holds what became of one lane's packets to the model.
package struct LaneJudge: Sendable {
    /// The packets sent through the lane.
    package struct Sent: Sendable {
        /// When each packet was sent, in nanoseconds.
        package var times: [Int64]
        /// The IP packet and 14 bytes.
        package var frameBytes: Int
        /// The time at which the conditions took effect; nil for the first packet.
        package var start: Int64?
        /// Whether the packets could be marked.
        package var isECNCapable = false
        /// Whether a damaged packet does not come, since a checksum tells.
        package var losesDamaged = false

        package init(
            _ times: [Int64],
            frameBytes: Int,
            start: Int64? = nil,
            isECNCapable: Bool = false,
            losesDamaged: Bool = false
        ) {
            (self.times, self.frameBytes, self.start) = (times, frameBytes, start)
            (self.isECNCapable, self.losesDamaged) = (isECNCapable, losesDamaged)
        }
    }

    let model: LaneModel
    let sent: Sent
    /// The chance with which a right record may fail an aspect that chance decides about.
    let error: Double
    let tolerances: Tolerances
    /// The records that a correct engine could have made of the same packets.
    let models: [FlowRecord]

    /// Runs the model on what was sent, with as many seeds as it takes to know its scatter.
    package init(_ model: LaneModel, _ sent: Sent, error: Double, tolerances: Tolerances = Tolerances()) {
        (self.model, self.sent, self.error, self.tolerances) = (model, sent, error, tolerances)
        models = (1000..<(model.isRandom ? 1012 : 1001)).map { Self.record(model, sent, seed: $0) }
    }

    static func record(
        _ model: LaneModel,
        _ sent: Sent,
        seed: UInt64,
        damagesHeaders: Bool = true
    ) -> FlowRecord {
        model.record(
            of: sent.times,
            frameBytes: sent.frameBytes,
            seed: seed,
            start: sent.start,
            isECNCapable: sent.isECNCapable,
            losesDamaged: sent.losesDamaged,
            damagesHeaders: damagesHeaders
        )
    }

    /// The findings of the model on these aspects.
    package func findings(_ aspects: [Aspect], on record: FlowRecord, _ machine: MachineNoise = MachineNoise())
        -> [LinkFinding]
    {
        aspects.compactMap { finding($0, record, machine) }
    }

    /// A finding; nil if nothing came, or nothing can, so that there is nothing to compare.
    private func finding(_ aspect: Aspect, _ record: FlowRecord, _ machine: MachineNoise) -> LinkFinding? {
        switch aspect {
        case .medianDelay: delay(0.5, aspect, record, machine)
        case .longDelay: delay(0.9, aspect, record, machine)
        case .tailDelay: delay(0.99, aspect, record, machine)
        case .longestDelay: delay(1, aspect, record, machine)
        case .meanDelay: meanDelay(record, machine)
        case .shape: shape(record, machine)
        case .losses: losses(record, machine)
        case .meanBurst: meanBurst(record)
        case .duplicates: duplicates(record)
        case .damaged: damaged(record)
        case .marked: marked(record)
        case .overtaken: overtaken(record)
        case .filling: filling()
        case .rate: rate(record, machine)
        case .slowestSecond: second(aspect, record, machine) { $0.min() }
        case .fastestSecond: second(aspect, record, machine) { $0.max() }
        // With a seed only, or with both lanes.
        case .otherFates, .delayDifference, .roundTrip, .goodput, .bothWays: nil
        }
    }

    /// Within the tolerance of where one more run of the model would be, of which the others tell (a prediction interval of
    /// normal values: figures of hundreds of packets).
    func prediction(_ values: [Double]) -> (mean: Double, reach: Double) {
        let mean = values.mean
        guard values.count > 1 else { return (mean, 0) }
        let limit = StudentDistribution(degreesOfFreedom: values.count - 1).limit(error: error)
        return (mean, limit * (values.variance * (1 + 1 / Double(values.count))).squareRoot())
    }

    /// Against the model with the engine's own seed, packet for packet.
    package func replay(_ record: FlowRecord, seed: UInt64, _ machine: MachineNoise = MachineNoise()) -> [LinkFinding] {
        // Only the userspace engine can be told one on every kernel.
        let same = Self.record(model, sent, seed: seed, damagesHeaders: false)
        let pairs = zip(record.firstTimes, same.firstTimes)
        let others = pairs.count { ($0 == nil) != ($1 == nil) }
        let differences = pairs.compactMap { measured, modelled in
            if let measured, let modelled { Double(measured - modelled) / 1e6 - machine.ownDelay } else { nil }
        }
        let reach = -tolerances.replay...tolerances.replay
        return [
            LinkFinding(.otherFates, modelled: 0, measured: Double(others), allowed: 0...0),
            LinkFinding(
                .delayDifference,
                modelled: 0,
                measured: differences.mean,
                allowed: reach,
                excusable: 0...reach.upperBound + machine.meanLateness
            ),
        ]
    }
}
