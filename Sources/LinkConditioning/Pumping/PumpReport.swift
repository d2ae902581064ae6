// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import PacketPump

/// What a pump carries and what it has counted.
struct PumpReport {
    /// The conditions.
    var profile: Profile
    /// The counters.
    var counters: CounterPage.Reading

    /// Packets that are inside.
    var held: Int { PumpLane.allCases.reduce(0) { $0 + Int(clamping: counters[$1].queued) } }

    /// Packets that ever came, those of unconditioned lanes among them.
    var arrived: UInt64 { PumpLane.allCases.reduce(counters.untouched) { $0 + counters[$1].arrived } }

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

extension Profile {
    /// The lanes with the figures that hold before any schedule, and without any those that only a schedule describes.
    fileprivate var pumpedLanes: [(kind: LaneKind, impairments: Impairments)] {
        let steps = schedule?.steps ?? []
        var lanes = lanes
        for (kind, isScheduled) in [
            (LaneKind.uplink, steps.contains { $0.uplink != nil }), (.downlink, steps.contains { $0.downlink != nil }),
        ] where isScheduled && !lanes.contains(where: { $0.kind == kind }) {
            lanes.append((kind, Impairments()))
        }
        return lanes
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
