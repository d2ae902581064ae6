// SPDX-License-Identifier: Apache-2.0

/// A profile's lanes and the figures of each: both engines and the model ask here.
extension Profile {
    /// A profile that changes nothing.
    package static let unconditioned = Profile(name: "no conditions")

    /// The lanes whose figures differ from an untouched link, DNS first, with the figures that hold before any
    /// schedule; of a lane that only a step of the schedule changes, figures that change nothing.
    public var lanes: [(lane: Lane, impairments: Impairments)] {
        [Lane.dns, .uplink, .downlink].compactMap { lane in
            let base = impairments(of: lane) ?? Impairments()
            // Queries have a lane for their own delay only; the steps of the uplink are no reason for one.
            let isScheduled = lane != .dns && schedule?.steps.contains { overrides(of: lane, in: $0) != nil } == true
            // A fault may send a packet either way.
            let isNeeded = lane == .dns ? dns != nil : base != Impairments() || isScheduled || !faults.isEmpty
            return isNeeded ? (lane, base) : nil
        }
    }

    /// The figures of a lane before any schedule; nil if the profile has none.
    ///
    /// The lane for DNS has the uplink's impairments; its own delay is added to theirs.
    public func impairments(of lane: Lane) -> Impairments? {
        switch lane {
        case .uplink: uplink
        case .downlink: downlink
        case .dns: dns.map { (uplink ?? Impairments()).delayed(by: $0.delay) }
        }
    }

    /// The figures of a lane that a step of the schedule overrides; nil if it overrides none.
    public func overrides(of lane: Lane, in step: Schedule.Step) -> Impairments? {
        switch lane {
        case .uplink: step.uplink
        case .downlink: step.downlink
        // A step without a delay has the base's, to which the lane's own was added already.
        case .dns: step.uplink.map { $0.delay == nil ? $0 : $0.delayed(by: dns?.delay ?? .zero) }
        }
    }

    /// Whether some figure or fault is about packets as they are on a wire, at any time of the schedule.
    package var needsWirePackets: Bool {
        let figures = [uplink, downlink] + (schedule?.steps ?? []).flatMap { [$0.uplink, $0.downlink] }
        return !faults.isEmpty || figures.contains { $0?.needsWirePackets == true }
    }

    /// Whether a fault ends connections that were open before it, at once or when they are idle.
    package var endsOpenConnections: Bool { faults.contains { $0.endsOpenConnections || $0.endsIdleConnections } }

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
}

extension Impairments {
    fileprivate func delayed(by added: Duration) -> Impairments {
        var impairments = self
        impairments.delay = (delay ?? .zero) + added
        return impairments
    }
}
