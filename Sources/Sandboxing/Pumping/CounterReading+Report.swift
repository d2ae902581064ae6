// SPDX-License-Identifier: Apache-2.0

internal import LinkConditioning
internal import LinkProfiles
internal import PacketPump

extension CounterPage.Reading {
    /// The lanes that `profile` describes, DNS first, with what has come through them.
    func lanes(of profile: Profile, on taps: [Detour.Tap]) -> [StatusReport.Lane] {
        var described: [(LaneKind, PumpLane, Impairments)] = []
        if let dns = profile.dns {
            var impairments = profile.uplink ?? Impairments()
            impairments.delay = (impairments.delay ?? .zero) + dns.delay
            described.append((.dns, .dns, impairments))
        }
        if let uplink = profile.uplink { described.append((.uplink, .uplink, uplink)) }
        if let downlink = profile.downlink { described.append((.downlink, .downlink, downlink)) }
        return described.map { kind, lane, impairments in
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
