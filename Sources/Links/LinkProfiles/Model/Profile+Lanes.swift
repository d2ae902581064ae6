// SPDX-License-Identifier: Apache-2.0

/// A profile's lanes and the figures of each lane, for both engines and the model.
extension Profile {
    /// A profile that changes nothing.
    package static let unconditioned = Profile(name: "no conditions")

    /// The lanes that the profile conditions at any time, DNS first, each with its figures before the schedule starts.
    /// The figures are empty for a lane that only faults or steps of the schedule concern.
    public var lanes: [(lane: Lane, impairments: Impairments)] {
        [Lane.dns, .uplink, .downlink].compactMap { lane in
            let base = impairments(of: lane) ?? Impairments()
            // DNS queries have a lane only if the profile delays them: steps of the uplink need none.
            let isScheduled = lane != .dns && schedule?.steps.contains { overrides(of: lane, in: $0) != nil } == true
            // A fault may send packets in either direction.
            let isNeeded = lane == .dns ? dns != nil : base != Impairments() || isScheduled || !faults.isEmpty
            return isNeeded ? (lane, base) : nil
        }
    }

    /// The figures of a lane before the schedule starts; nil if the profile has none.
    ///
    /// The DNS lane has the uplink's impairments, with the delay of DNS queries added to the uplink's delay.
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
        // Without a delay in the step, the base's delay stays, which includes the delay of DNS queries already.
        case .dns: step.uplink.map { $0.delay == nil ? $0 : $0.delayed(by: dns?.delay ?? .zero) }
        }
    }

    /// Whether a figure or fault applies to single packets on the wire, at any time of the schedule.
    package var needsWirePackets: Bool {
        let figures = [uplink, downlink] + (schedule?.steps ?? []).flatMap { [$0.uplink, $0.downlink] }
        return !faults.isEmpty || figures.contains { $0?.needsWirePackets == true }
    }

    /// Whether a fault ends connections that are open when it comes into effect, at once or when they are idle.
    package var endsOpenConnections: Bool { faults.contains { $0.endsOpenConnections || $0.endsIdleConnections } }

    /// The same conditions with a lane for each direction, so that an engine sees every packet: an unconditioned
    /// direction gets a delay of zero.
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
