// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import Netlink

/// Lanes that a pump carries.
extension Planner {
    /// One lane of a rule that is to be.
    struct PlannedLane {
        /// Which traffic it carries.
        let kind: LaneKind
        /// What carries it.
        let carriage: Carriage

        enum Carriage {
            /// Qdiscs on an ifb.
            case netem(Lane)
            /// A pump, behind a TAP device that takes this traffic.
            case pump(Tap.Traffic)
        }
    }

    /// The ways of traffic to a pump and back: one on loopback, two elsewhere, whichever of them `request` conditions.
    /// None for a profile that asks nothing, where there is no pump yet.
    ///
    /// - Throws: `unsupported` where the device's traffic cannot be led there and back.
    func detours(_ request: RuleRequest, hasPump: Bool) throws(ConditioningError) -> [PlannedLane] {
        let device = state.link.name
        guard hasPump || !request.profile.lanes.isEmpty || request.profile.schedule != nil else { return [] }
        guard state.link.hasEthernetHeader else {
            throw ConditioningError(
                .unsupported,
                "the userspace engine cannot condition \(device), whose packets have no Ethernet header"
            )
        }
        guard state.link.portKind != "bridge" else {
            // What is to arrive bears a group address as its source on the way back: PumpInput.Traffic.arriving.
            throw ConditioningError(
                .unsupported,
                "the userspace engine cannot condition \(device), a port of a bridge, which would drop its packets",
                remedy: "the bridge itself, with -i"
            )
        }
        guard !state.link.isLoopback else { return [PlannedLane(kind: .uplink, carriage: .pump(.loopback))] }
        return [
            PlannedLane(kind: .uplink, carriage: .pump(.leaving)),
            PlannedLane(kind: .downlink, carriage: .pump(.arriving)),
        ]
    }

    /// The TAP device called `name`.
    func tap(_ name: LaneName, _ traffic: Tap.Traffic) -> Tap {
        // Whether a frame that arrives is for this host is decided by the address of the device it comes from.
        let address = traffic == .arriving ? state.link.address : nil
        return Tap(name: name.description, traffic: traffic, mtu: state.link.mtu, address: address)
    }

    /// What is to be done to such a device, once it is there, before packets are led to it.
    func lead(_ tap: Tap, _ tag: RuleTag) -> [Operation] {
        [
            .describe(tap.name, alias: tag.text, previous: nil),
            .addReturn(tap: tap.name, device: state.link.name, arrives: tap.traffic != .leaving),
        ]
    }

    /// Lets pass what comes back on its way out, ahead of the filter that led it away. Its place is that of the next
    /// rule's downlink, which hangs at the other hook.
    func pass(of filter: LaneFilter, rule: Int) -> ReturnPass {
        ReturnPass(preference: filter.preference - LaneKind.uplink.order - 1, rule: rule)
    }

    func pumpedFilter(
        _ kind: LaneKind,
        _ traffic: Tap.Traffic,
        _ request: RuleRequest,
        _ number: Int,
        target: LaneName,
        current: LaneState?
    ) throws(ConditioningError) -> LaneFilter {
        let classifier = Classifier(
            selection: request.selection,
            condition: .any,
            remoteIsDestination: traffic != .arriving,
            networkOffset: 14,
            passesReturned: traffic == .arriving
        )
        return LaneFilter(
            device: state.link.name,
            hook: traffic == .arriving ? .ingress : .egress,
            preference: preference(number, kind, current),
            mark: FilterMark(rule: number, lane: kind),
            program: try program(classifier),
            target: target.description
        )
    }
}
