// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import Netlink

/// Lanes that a pump carries.
extension Planner {
    /// One lane of a rule that is to be.
    struct PlannedLane {
        /// Which traffic it carries.
        let kind: Lane
        /// What carries it.
        let carriage: Carriage

        enum Carriage {
            /// Qdiscs on an ifb.
            case netem(LaneQdiscs)
            /// A pump, behind a TAP device that takes this traffic.
            case pump(Traffic)
        }
    }

    /// The ways of traffic to a pump and back: one on loopback, elsewhere one for each direction that `request` conditions,
    /// and for the other one as well where no other rule may want what goes there: for the next switch.
    ///
    /// - Throws: `unsupported` where the device's traffic cannot be led there and back.
    func detours(_ request: RuleRequest, replacing old: RuleState?) throws(ConditioningError) -> [PlannedLane] {
        let device = state.link.name
        var kinds = Set(request.profile.scheduledLanes.map { $0.lane == .downlink ? Lane.downlink : .uplink })
        guard !kinds.isEmpty else { return [] }
        if state.rules.allSatisfy({ $0.number == old?.number }) { kinds = [.uplink, .downlink] }
        guard state.link.hasEthernetHeader else {
            throw ConditioningError(
                .unsupported,
                "the userspace engine cannot condition \(device), whose packets have no Ethernet header"
            )
        }
        guard state.link.portKind != "bridge" else {
            // What is to arrive bears a group address as its source on the way back: Traffic.arriving.
            throw ConditioningError(
                .unsupported,
                "the userspace engine cannot condition \(device), a port of a bridge, which would drop its packets",
                remedy: "the bridge itself, with -i"
            )
        }
        guard !state.link.isLoopback else { return [PlannedLane(kind: .uplink, carriage: .pump(.loopback))] }
        let both = [(Lane.uplink, Traffic.leaving), (.downlink, .arriving)]
        return both.filter { kinds.contains($0.0) }.map { PlannedLane(kind: $0.0, carriage: .pump($0.1)) }
    }

    /// The TAP device called `name`.
    func tap(_ name: LaneName, _ traffic: Traffic) -> Tap {
        // Whether a frame that arrives is for this host is decided by the address of the device it comes from.
        let address = traffic == .arriving ? state.link.address : nil
        return Tap(name: name.description, traffic: traffic, mtu: state.link.mtu, address: address)
    }

    /// Lets pass what comes back on its way out, ahead of all that lead packets away.
    func pass(rule: Int) throws(ConditioningError) -> ReturnPass {
        let taken = Set(state.passes.map(\.preference))
        guard
            let place = stride(from: Int(preferenceBase) - 1, to: 0, by: -1).first(where: {
                !taken.contains(UInt16($0))
            })
        else {
            throw ConditioningError(
                .unsupported,
                "\(state.link.name) has classifiers of somebody else that cannot be preceded by a filter for packets "
                    + "on their way back"
            )
        }
        return ReturnPass(preference: UInt16(place), rule: rule)
    }

    func pumpedFilter(
        _ kind: Lane,
        _ traffic: Traffic,
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
