// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import LinkProfiles
internal import Statistics

/// Judges the goodput of one TCP connection in each direction.
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

    /// How long after the conditions take effect a client may begin to connect.
    private static let longestStart = Duration.milliseconds(100)

    /// Compares the goodput with that of CUBIC through the model. It may exceed CUBIC's, since the kernel may use
    /// another congestion control, but not the link's rate. Nil if no goodput at all would be within the tolerance.
    private func goodput(_ bytes: Double, in time: Duration, _ model: TransferModel) -> LinkFinding? {
        let tolerances = Tolerances()
        let seconds = time / .seconds(1)
        func rate(_ bytes: Double) -> Double { bytes * 8 / seconds }
        // Where the link changes within round trips, the goodput depends on the moment at which the client connects.
        let runs = model.isRandom || model.isScheduled ? 12 : 1
        let modelled = (0..<runs).map { run in
            Double(model.bytes(in: time, seed: UInt64(1_000 + run), start: Self.longestStart / runs * run))
        }
        let mean = modelled.mean
        var minimum = mean
        if modelled.count > 1 {
            // Random losses scale the goodput by factors, so its logarithm is normally distributed.
            let logarithms = modelled.map { log(max($0, 1)) }
            let limit = StudentDistribution(degreesOfFreedom: modelled.count - 1).limit(error: Self.error)
            let scatter = (logarithms.variance * (1 + 1 / Double(modelled.count))).squareRoot()
            minimum = exp(logarithms.mean - limit * scatter)
        }
        // Whether the last segments arrive in time is also a matter of chance.
        let slack = 3 * Double(model.segmentBytes)
        minimum = minimum * (1 - tolerances.goodput) - slack
        guard minimum > 0 else { return nil }
        let maximum = model.maximumBytes(in: time).map { $0 * (1 + tolerances.rate) + slack } ?? .infinity
        // A machine that wakes processes late lengthens the round trip, which slows the connection in proportion.
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
