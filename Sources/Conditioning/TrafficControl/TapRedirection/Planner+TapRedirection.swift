// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import LinuxSystem
internal import Netlink

/// Lanes that a pump carries.
extension Planner {
    /// One lane of a requested rule.
    enum PlannedLane {
        /// Qdiscs on an ifb.
        case netem(LaneQdiscs)
        /// A pump, on a TAP device for this traffic: that of the uplink and DNS, or that of the downlink.
        case pump(Traffic, Facing)

        var kind: Lane {
            switch self {
            case .netem(let qdiscs): qdiscs.kind
            case .pump(let traffic, let facing): traffic.lanes(facing).contains(.uplink) ? .uplink : .downlink
            }
        }

        /// The qdiscs of a lane on an ifb.
        var qdiscs: LaneQdiscs? { if case .netem(let qdiscs) = self { qdiscs } else { nil } }
    }

    /// The lanes of a rule that a pump carries: one on loopback; on other devices one for each direction. A direction
    /// that `request` does not condition gets a lane too, if its filters are possible: a later change can use it, and
    /// no other rule gets the selected traffic of that direction.
    ///
    /// - Throws: `unsupported` if the device's traffic cannot be redirected to a pump.
    func pumpedLanes(of request: RuleRequest) throws(ConditioningError) -> [PlannedLane] {
        let device = state.link.name
        let conditioned = request.profile.lanes.map(\.lane)
        guard !conditioned.isEmpty else { return [] }
        // Incoming packets return with a group address as their source, which a bridge drops: Traffic.arriving.
        let isBridgePort = state.link.portKind == "bridge"
        let arriving = Traffic.arriving.lanes(request.facing)
        guard !isBridgePort || !arriving.contains(where: conditioned.contains) else {
            throw unsupported(
                "the userspace engine cannot condition what arrives at \(device), a port of a bridge, "
                    + "which would drop these packets",
                remedy: Remedy(.conditionBridge)
            )
        }
        guard state.link.kind != "ppp" || kernel.version >= .barePPP else {
            throw unsupported(
                "the userspace engine cannot condition \(device): packets return to PPP without the pump's Ethernet header "
                    + "since Linux \(KernelVersion.barePPP); this is \(kernel.version)"
            )
        }
        if state.link.isLoopback { return [.pump(.loopback, .host)] }
        // The plain ingress qdisc has no hook for outgoing packets.
        let hasBoth = !isBridgePort && state.hook != .ingressOnly
        return [Traffic.leaving, .arriving]
            .filter { hasBoth || $0.lanes(request.facing).contains(where: conditioned.contains) }
            .map { .pump($0, request.facing) }
    }

    func tap(_ name: LaneName, _ traffic: Traffic, _ facing: Facing) -> Tap {
        let isBare = !state.link.hasEthernetHeader
        // The kernel decides by the TAP device's address whether an incoming frame is for this host.
        let address = traffic == .arriving && !isBare ? state.link.address : nil
        return Tap(
            name: name.description,
            traffic: traffic,
            facing: facing,
            mtu: state.link.mtu,
            address: address,
            isBare: isBare
        )
    }

    /// The steps that add filters for a pump's packets again, where another program has deleted them; of the missing
    /// passes for outgoing packets, only the first.
    package func returns() throws(ConditioningError) -> [PlanStep] {
        var steps: [PlanStep] = []
        for lane in state.lanesWithoutPass.prefix(1) {
            let pass = try pass(rule: lane.name.rule)
            steps.append(.kernel(.addPassFilter(device: state.link.name, tap: lane.name.description, pass: pass)))
        }
        return steps
            + state.lanesWithoutReturn.map { lane in
                let arrives = state.link.isLoopback || !lane.leaves
                return .kernel(
                    .addReturn(tap: lane.name.description, device: state.link.name, arrives: arrives)
                )
            }
    }
}
