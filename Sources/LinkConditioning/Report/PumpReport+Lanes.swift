// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import PacketPump
internal import TrafficControl

extension PumpReport {
    /// The lanes of the profile, DNS first, with their counters.
    func lanes(on taps: [LaneState]) -> [StatusReport.LaneStatus] {
        profile.scheduledLanes.map { kind, impairments in
            let counters = counters[kind]
            let tap = taps.first { $0.name.kind == (kind == .downlink ? .downlink : .uplink) } ?? taps.first
            return StatusReport.LaneStatus(
                kind: kind,
                device: tap?.name.description ?? "",
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
