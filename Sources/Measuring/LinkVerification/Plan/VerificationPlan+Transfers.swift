// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

extension VerificationPlan {
    /// Bits per second above which a connection measures the machine rather than the link.
    private static let maximumGoodput = 300e6
    /// The shortest transfer in one direction; the fewest segments that show a goodput, and the number that is enough.
    fileprivate static let (minimumTransfer, fewSegments, manySegments) = (Duration.seconds(2), 20.0, 60.0)
    /// The number of losses that shows how the connection reacts to loss.
    fileprivate static let manyLosses = 30.0

    /// Adds a TCP transfer in each direction whose goodput the profile limits, over IPv4 and, if `time` suffices, over
    /// IPv6.
    mutating func addTransfers(within time: Duration) {
        var transfers: [Transfer] = []
        for direction in Direction.allCases {
            let model = TransferModel(profile, direction, isIPv6: false, traces: traces)
            guard let rate = model.expectedRate, 0 < rate, rate <= Self.maximumGoodput else { continue }
            transfers.append(Transfer(direction: direction, model: model, rate: rate))
        }
        guard !transfers.isEmpty else { return }
        let minimum = transfers.reduce(Duration.zero) { $0 + $1.time(for: Self.fewSegments) }
        let kinds: [ProbePhase.Kind] = minimum * 2 > time ? [.transfer] : [.transfer, .transferIPv6]
        if kinds.count == 1 { shortfalls.append("too little time for a TCP transfer over IPv6") }
        let share = time / (kinds.count * transfers.count)
        phases += kinds.flatMap { kind in
            transfers.map { transfer in
                var phase = ProbePhase(kind).overUplink
                let few = transfer.time(for: Self.fewSegments)
                phase.time = max(min(transfer.time(for: transfer.manySegments), share), few)
                phase.transfers[transfer.direction] = phase.time
                return phase
            }
        }
    }

    private struct Transfer {
        let direction: Direction
        let model: TransferModel
        /// The expected goodput, in bits per second.
        let rate: Double

        var manySegments: Double {
            model.loss > 0
                ? max(VerificationPlan.manyLosses / model.loss, VerificationPlan.manySegments)
                : VerificationPlan.manySegments
        }

        func time(for segments: Double) -> Duration {
            let sending = Duration.nanoseconds(Int64(segments * Double(model.segmentBytes) * 8e9 / rate))
            return max(model.delay * 3 + sending, VerificationPlan.minimumTransfer)
        }
    }
}
