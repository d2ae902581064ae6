// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import Netlink

/// Lanes that a pump carries.
extension Planner {
    /// One lane of a requested rule.
    struct PlannedLane {
        /// The lane.
        let kind: Lane
        /// Its implementation.
        let carriage: Carriage

        enum Carriage {
            /// Qdiscs on an ifb.
            case netem(LaneQdiscs)
            /// A pump, on a TAP device for this traffic.
            case pump(Traffic)
        }
    }

    /// The lanes of a rule that a pump carries: one on loopback; on other devices one for each direction. One that `request`
    /// does not condition is included if its filters have a place: a later change can use it, and what the rule selects is
    /// no other rule's there.
    ///
    /// - Throws: `unsupported` if the device's traffic cannot be redirected to a pump.
    func pumpedLanes(of request: RuleRequest) throws(ConditioningError) -> [PlannedLane] {
        let device = state.link.name
        var kinds = Set(request.profile.lanes.map { $0.lane == .downlink ? Lane.downlink : .uplink })
        guard !kinds.isEmpty else { return [] }
        // The plain ingress qdisc has no place for a filter of outgoing packets.
        if state.link.isLoopback || state.hook != .ingressOnly { kinds = [.uplink, .downlink] }
        guard state.link.hasEthernetHeader else {
            throw ConditioningError(
                .unsupported,
                "the userspace engine cannot condition \(device), whose packets have no Ethernet header"
            )
        }
        guard state.link.portKind != "bridge" else {
            // Incoming packets return with a group address as their source: Traffic.arriving.
            throw ConditioningError(
                .unsupported,
                "the userspace engine cannot condition \(device), a port of a bridge, which would drop its packets",
                remedy: Remedy(.conditionBridge)
            )
        }
        guard !state.link.isLoopback else { return [PlannedLane(kind: .uplink, carriage: .pump(.loopback))] }
        let both = [(Lane.uplink, Traffic.leaving), (.downlink, .arriving)]
        return both.filter { kinds.contains($0.0) }.map { PlannedLane(kind: $0.0, carriage: .pump($0.1)) }
    }

    /// The TAP device called `name`.
    func tap(_ name: LaneName, _ traffic: Traffic) -> Tap {
        // The kernel decides by the TAP device's address whether an incoming frame is for this host.
        let address = traffic == .arriving ? state.link.address : nil
        return Tap(name: name.description, traffic: traffic, mtu: state.link.mtu, address: address)
    }

    /// The steps that let a pump's packets return where another program has deleted the filters for it; of those that
    /// pass outgoing packets, the first.
    package func returns() throws(ConditioningError) -> [Step] {
        var steps: [Step] = []
        for lane in state.lanesWithoutPass.prefix(1) {
            let pass = try pass(rule: lane.name.rule)
            steps.append(.kernel(.addPass(device: state.link.name, tap: lane.name.description, pass: pass)))
        }
        return steps
            + state.lanesWithoutReturn.map { lane in
                let arrives = state.link.isLoopback || lane.name.kind == .downlink
                return .kernel(
                    .addReturn(tap: lane.name.description, device: state.link.name, arrives: arrives)
                )
            }
    }

    /// The filter that redirects a lane's packets to the TAP device `target`.
    func pumpedFilter(
        to target: LaneName,
        for kind: Lane,
        traffic: Traffic,
        of request: RuleRequest,
        rule number: Int,
        at place: Placement
    ) throws(ConditioningError) -> LaneFilter {
        let classifier = Classifier(
            selection: request.selection,
            condition: .any,
            remoteIsDestination: traffic != .arriving,
            networkOffset: 14,
            passesReturned: traffic == .arriving
        )
        let program = try program(classifier)
        return LaneFilter(
            device: state.link.name,
            hook: traffic == .arriving ? .ingress : .egress,
            preference: place.preference(of: kind),
            mark: FilterMark(rule: number, lane: kind),
            program: program,
            failOpen: failsOpen() ? FailOpenMark(program) : nil,
            target: target.description
        )
    }
}
