// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import Netlink

/// The filters of lanes, and other programs' filters.
extension Planner {
    /// The filter that redirects a lane's packets to the device `target`.
    func filter(
        to target: LaneName,
        for lane: PlannedLane,
        of request: RuleRequest,
        rule number: Int,
        at place: Placement
    ) throws(ConditioningError) -> LaneFilter {
        let isLoopback = state.link.isLoopback
        let isPumped = lane.qdiscs == nil
        let isEgress = leaves(lane.kind, request)
        let condition: Classifier.Condition =
            switch lane.kind {
            // A pump distinguishes the directions itself.
            case _ where isPumped: .any
            case .dns: .dns
            case .uplink where isLoopback: .fromOpener(ephemeralPorts: kernel.ephemeralPorts)
            case .downlink where isLoopback && portsTellOpener: .toOpener(ephemeralPorts: kernel.ephemeralPorts)
            case .uplink, .downlink: .any
            }
        let program = try program(
            Classifier(
                selection: request.selection,
                condition: condition,
                // A pump on loopback receives both directions of a flow.
                remote: isPumped && isLoopback ? .either : lane.kind == .downlink ? .source : .destination,
                networkOffset: state.link.hasEthernetHeader ? 14 : 0,
                // Another rule of the device may have a pump.
                passesReturned: !isEgress && state.link.hasEthernetHeader
            )
        )
        return LaneFilter(
            device: state.link.name,
            hook: isEgress ? .egress : .ingress,
            preference: place.preference(of: lane.kind),
            mark: FilterMark(rule: number, lane: lane.kind),
            program: program,
            failOpen: isPumped && failsOpen() ? FailOpenMark(program) : nil,
            target: target.description
        )
    }

    private func program(_ classifier: Classifier) throws(ConditioningError) -> [BPFInstruction] {
        let selection = classifier.selection
        if selection.description.utf8.count <= LaneAlias.longestSelection, let program = classifier.program() {
            return program
        }
        throw ConditioningError(
            .tooMuch,
            "more selectors than a rule can hold: \(selection)",
            remedy: "use fewer selectors, or distribute them among several rules"
        )
    }

    /// Checks that the rule can be added despite other programs' classifiers and qdiscs.
    func checkForeign(_ request: RuleRequest, needsEgress: Bool) throws(ConditioningError) {
        let device = state.link.name
        guard state.link.hasEthernetHeader || state.link.hasNoHeader else {
            throw unsupported("\(device) has an unsupported link type: neither Ethernet nor plain IP")
        }
        if LaneState.kinds.contains(state.link.kind), LaneName(device) != nil,
            state.link.alias.flatMap({ LaneAlias($0) }) != nil
        {
            throw unsupported("\(device) carries the conditions of another interface", remedy: Remedy(.showStatus))
        }
        if state.sharesHook {
            throw unsupported(
                "\(device) shares its filters with other devices through a block, which conditions would affect too"
            )
        }
        if state.hook == .ingressOnly, needsEgress {
            throw unsupported(
                "\(device) has an ingress qdisc of another program; conditioning outgoing packets needs clsact instead",
                remedy: "a profile that only has a downlink, or: tc qdisc del dev \(device) ingress"
            )
        }
        guard !state.foreign.isEmpty else { return }
        let list = state.foreign.map(\.description).joined(separator: ", ")
        // A tcx program has no preference.
        if capacity == 0 || state.foreign.contains(where: { $0.preference == nil }) {
            throw unsupported("\(device) has classifiers of other programs that no filter can precede: \(list)")
        }
        if !request.beforeForeign {
            throw unsupported(
                "\(device) has classifiers of other programs, which may pass or drop packets before they are conditioned, "
                    + "and would not see conditioned ones: \(list)",
                remedy: Remedy(.precedeForeign)
            )
        }
    }
}
