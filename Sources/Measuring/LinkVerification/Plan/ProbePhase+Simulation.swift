// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

extension ProbePhase {
    /// Models the fates of the phase's packets, without the noise of a machine.
    ///
    /// - Parameter seed: selects the random numbers.
    package func simulated(
        through profile: Profile,
        traces: [TraceReference: Trace] = [:],
        seed: UInt64
    ) -> PhaseRecord {
        var record = PhaseRecord(start: 0)
        for (direction, traffic) in flows {
            record.flows[direction] = LaneModel(profile, lane(direction), traces: traces).record(
                of: traffic.sends,
                frameBytes: traffic.frameBytes(isIPv6: isIPv6),
                seed: seed,
                start: 0,
                isECNCapable: isECNCapable,
                losesDamaged: !showsDamage
            )
        }
        for (direction, time) in transfers {
            let model = TransferModel(profile, direction, isIPv6: isIPv6, traces: traces)
            record.received[direction] = model.bytes(in: time, seed: seed)
        }
        let trips = [Lane.uplink, .downlink].map { lane in
            let sends = (0..<connections).map { Int64($0) * 10_000_000_000 }
            let model = LaneModel(profile, lane, traces: traces)
            return model.record(of: sends, frameBytes: Verification.handshakeFrame, seed: seed).firstTimes
                .enumerated().map { number, time in time.map { Double($0 - sends[number]) / 1e6 } }
        }
        record.roundTrips = zip(trips[0], trips[1]).compactMap { up, down in
            if let up, let down { up + down } else { nil }
        }
        return record
    }
}
