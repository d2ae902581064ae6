// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import PacketPump

/// What a pump carries and what it has counted.
struct PumpReport {
    /// The conditions.
    var profile: Profile
    /// Packets inside that came to the device at which it was asked.
    var held: UInt64
    /// The counters.
    var counters: CounterPage.Reading

    /// The lanes that the profile describes, DNS first, with what has come through them.
    func lanes(on taps: [LaneState]) -> [StatusReport.Lane] {
        profile.pumpedLanes.map { kind, impairments in
            let counters = counters[kind.pumpLane]
            let tap = taps.first { $0.name.kind == (kind == .downlink ? .downlink : .uplink) } ?? taps.first
            return StatusReport.Lane(
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

extension LaneKind {
    fileprivate var pumpLane: PumpLane {
        switch self {
        case .dns: .dns
        case .uplink: .uplink
        case .downlink: .downlink
        }
    }
}
