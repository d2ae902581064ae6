// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import LinkProfiles
internal import Statistics

/// The goodput of one TCP connection in each direction, against the model's.
extension Verification {
    mutating func addTransfers(_ record: PhaseRecord, of phase: ProbePhase) {
        for (direction, time) in phase.transfers.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            guard let bytes = record.received[direction] else { continue }
            let model = TransferModel(profile, direction, isIPv6: phase.isIPv6, traces: traces)
            add(
                Part(
                    kind: phase.kind,
                    lane: phase.lane(direction),
                    findings: [goodput(Double(bytes), in: time, model)].compactMap(\.self),
                    count: 1,
                    record: nil,
                    model: nil
                )
            )
        }
    }

    /// The goodput against CUBIC's through the model. More than CUBIC is right, since the kernel may have another
    /// congestion control; more than the link's rate is not. Nil if even nothing could be right.
    private func goodput(_ bytes: Double, in time: Duration, _ model: TransferModel) -> LinkFinding? {
        let tolerances = Tolerances()
        let seconds = time / .seconds(1)
        func rate(_ bytes: Double) -> Double { bytes * 8 / seconds }
        let modelled = (1_000..<(model.isRandom ? 1_012 : 1_001)).map { seed in
            Double(model.bytes(in: time, seed: UInt64(seed)))
        }
        let mean = modelled.mean
        var minimum = mean
        if modelled.count > 1 {
            // Losses halve what is carried as often as they double it: normal values are its logarithms.
            let logarithms = modelled.map { log(max($0, 1)) }
            let limit = StudentDistribution(degreesOfFreedom: modelled.count - 1).limit(error: Self.error)
            let scatter = (logarithms.variance * (1 + 1 / Double(modelled.count))).squareRoot()
            minimum = exp(logarithms.mean - limit * scatter)
        }
        // Whether one of the last segments came in time is chance, too.
        let slack = 3 * Double(model.segmentBytes)
        minimum = minimum * (1 - tolerances.goodput) - slack
        guard minimum > 0 else { return nil }
        let maximum = model.maximumBytes(in: time).map { $0 * (1 + tolerances.rate) + slack } ?? .infinity
        // A machine that wakes late makes the round trip longer, and a connection slower by as much.
        let late = 4 * Double(wakes) * lateness.tail
        let trip = max(model.delay / .milliseconds(1), 1)
        return LinkFinding(
            .goodput,
            modelled: rate(mean),
            measured: rate(bytes),
            allowed: rate(minimum)...rate(maximum),
            excusable: rate(minimum * trip / (trip + late))...rate(maximum)
        )
    }
}
