// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import PacketPump
internal import TrafficControl

extension PumpReport {
    /// The lanes of the profile whose TAP device is there, DNS first, with their counters.
    ///
    /// - Parameter isLoopback: whether they are loopback's, which has one TAP device for all.
    func lanes(on taps: [LaneState], isLoopback: Bool) -> [StatusReport.LaneStatus] {
        profile.lanes.compactMap { kind, impairments in
            let carrier = kind.carrier(isLoopback: isLoopback)
            guard let tap = taps.first(where: { $0.name.kind == carrier }) else { return nil }
            let counters = counters[kind]
            return StatusReport.LaneStatus(
                kind: kind,
                device: tap.name.description,
                conditions: impairments,
                limitPackets: nil,
                matchedPackets: counters.arrived,
                counters: StatusReport.Counters(
                    sentPackets: counters.left,
                    sentBytes: counters.leftBytes,
                    droppedPackets: counters.allDrops,
                    heldPackets: counters.queued,
                    heldBytes: nil
                )
            )
        }
    }
}

extension Lane {
    /// The lane whose TAP device carries this one.
    func carrier(isLoopback: Bool) -> Lane { self == .downlink && !isLoopback ? .downlink : .uplink }
}
