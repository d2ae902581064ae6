// SPDX-License-Identifier: Apache-2.0

internal import LinkConditioning
internal import LinkProfiles
internal import PacketPump

extension CounterPage.Reading {
    /// The lanes that `profile` describes, DNS first, with what has come through them.
    func lanes(of profile: Profile, on taps: [Detour.Tap]) -> [StatusReport.Lane] {
        profile.lanes.map { kind, impairments in
            let lane: PumpLane =
                switch kind {
                case .dns: .dns
                case .uplink: .uplink
                case .downlink: .downlink
                }
            let counters = self[lane]
            let tap = taps.first { $0.traffic == (lane == .downlink ? .arriving : .leaving) } ?? taps[0]
            return StatusReport.Lane(
                kind,
                device: tap.name,
                conditions: impairments,
                arrived: counters.arrived,
                counters: StatusReport.Counters(
                    sent: counters.left,
                    bytes: counters.leftBytes,
                    dropped: counters.allDrops,
                    held: counters.queued
                )
            )
        }
    }
}
