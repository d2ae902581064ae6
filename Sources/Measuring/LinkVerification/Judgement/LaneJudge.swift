// SPDX-License-Identifier: Apache-2.0

internal import Statistics

/// Compares the fates of one lane's packets with the model.
package struct LaneJudge: Sendable {
    /// The packets sent through the lane.
    package struct Sent: Sendable {
        /// When each packet was sent, in nanoseconds.
        package var times: [Int64]
        /// The frame's size: the IP packet and 14 bytes of Ethernet header.
        package var frameBytes: Int
        /// When the conditions took effect; nil for the time of the first packet.
        package var start: Int64?
        /// Whether the packets are ECN-capable, so that they may be marked instead of lost.
        package var isECNCapable = false
        /// Whether damaged packets are lost, because a checksum drops them.
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
    /// The probability with which a correct link may fail one statistical aspect.
    let error: Double
    let tolerances: Tolerances
    /// The records of model runs on the same packets, each with another seed.
    let models: [FlowRecord]

    /// Runs the model on the sent packets: 12 times with different seeds if it is random, so that its scatter is known,
    /// else once.
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

    /// Judges the record by these aspects.
    package func findings(_ aspects: [Aspect], on record: FlowRecord, _ machine: MachineNoise = MachineNoise())
        -> [LinkFinding]
    {
        aspects.compactMap { finding($0, record, machine) }
    }

    /// Judges one aspect; nil if no packet arrived in the record or in the model, so that there is nothing to compare.
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
        case .longestBurst: longestBurst(record)
        case .duplicates: duplicates(record)
        case .damaged: damaged(record)
        case .marked: marked(record)
        case .overtaken: overtaken(record)
        case .filling: filling()
        case .rate: rate(record, machine)
        case .slowestSecond: second(aspect, record, machine) { $0.min() }
        case .fastestSecond: second(aspect, record, machine) { $0.max() }
        // These compare against a replay with the engine's seed, or need both lanes.
        case .otherFates, .delayDifference, .roundTrip, .goodput, .bothWays: nil
        }
    }

    /// The mean of the runs, and how far one more run may be from it (a prediction interval of normally distributed
    /// values: each is a figure of hundreds of packets).
    func prediction(_ values: [Double]) -> (mean: Double, reach: Double) {
        let mean = values.mean
        guard values.count > 1 else { return (mean, 0) }
        let limit = StudentDistribution(degreesOfFreedom: values.count - 1).limit(error: error)
        return (mean, limit * (values.variance * (1 + 1 / Double(values.count))).squareRoot())
    }

    /// Compares the record packet by packet with a model run that uses the engine's seed.
    package func replay(_ record: FlowRecord, seed: UInt64, _ machine: MachineNoise = MachineNoise()) -> [LinkFinding] {
        // Only the userspace engine can be given a seed on every kernel, and it does not damage headers.
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
