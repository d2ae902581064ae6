// SPDX-License-Identifier: Apache-2.0

extension Profile {
    /// The lanes whose figures differ from an untouched link, DNS first, with the figures that hold before any
    /// schedule.
    ///
    /// The lane for DNS has the uplink's impairments; its own delay is added to theirs.
    public var lanes: [(lane: Lane, impairments: Impairments)] {
        var lanes: [(lane: Lane, impairments: Impairments)] = []
        if let dns {
            var impairments = uplink ?? Impairments()
            impairments.delay = (impairments.delay ?? .zero) + dns.delay
            lanes.append((.dns, impairments))
        }
        if let uplink, uplink != Impairments() { lanes.append((.uplink, uplink)) }
        if let downlink, downlink != Impairments() { lanes.append((.downlink, downlink)) }
        return lanes
    }

    /// The same conditions with a lane for each direction, so that an engine sees every packet: a delay of zero changes
    /// nothing.
    package var withBothDirections: Profile {
        var profile = self
        let unconditioned = Impairments()
        for direction in [\Profile.uplink, \.downlink] where self[keyPath: direction] ?? unconditioned == unconditioned
        {
            profile[keyPath: direction] = Impairments()
            profile[keyPath: direction]?.delay = .zero
        }
        return profile
    }

    /// The lanes as `lanes` gives them, then those that only a step of the schedule changes, with no figures yet.
    public var scheduledLanes: [(lane: Lane, impairments: Impairments)] {
        let steps = schedule?.steps ?? []
        var lanes = lanes
        for (lane, isScheduled) in [
            (Lane.uplink, steps.contains { $0.uplink != nil }), (.downlink, steps.contains { $0.downlink != nil }),
        ] where isScheduled && !lanes.contains(where: { $0.lane == lane }) {
            lanes.append((lane, Impairments()))
        }
        return lanes
    }
}
