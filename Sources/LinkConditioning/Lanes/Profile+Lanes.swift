// SPDX-License-Identifier: Apache-2.0

public import LinkProfiles

extension Profile {
    /// The lanes that the profile describes and what happens in each, DNS first: what the uplink does, and its own
    /// delay. The figures that hold before any schedule.
    public var lanes: [(kind: LaneKind, impairments: Impairments)] {
        var lanes: [(kind: LaneKind, impairments: Impairments)] = []
        if let dns {
            var impairments = uplink ?? Impairments()
            impairments.delay = (impairments.delay ?? .zero) + dns.delay
            lanes.append((.dns, impairments))
        }
        if let uplink, uplink != Impairments() { lanes.append((.uplink, uplink)) }
        if let downlink, downlink != Impairments() { lanes.append((.downlink, downlink)) }
        return lanes
    }

    /// The lanes with the figures that hold before any schedule, and without any those that only a schedule describes.
    var pumpedLanes: [(kind: LaneKind, impairments: Impairments)] {
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
