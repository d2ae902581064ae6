// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import Netlink

/// Where a lane's filter hangs and what it asks.
extension Planner {
    func filter(
        _ lane: LaneQdiscs,
        _ request: RuleRequest,
        _ number: Int,
        target: LaneName,
        current: LaneState?
    ) throws(ConditioningError) -> LaneFilter {
        // On loopback every packet leaves once, so all lanes hang there.
        let isEgress = lane.kind != .downlink || state.link.isLoopback
        let condition: Classifier.Condition =
            switch lane.kind {
            case .dns: .dns
            case .uplink where state.link.isLoopback: .fromOpener(ephemeralPorts: kernel.ephemeralPorts)
            case .downlink where portsTellOpener && state.link.isLoopback:
                .toOpener(ephemeralPorts: kernel.ephemeralPorts)
            case .uplink, .downlink: .any
            }
        let classifier = Classifier(
            selection: request.selection,
            condition: condition,
            remoteIsDestination: lane.kind != .downlink,
            networkOffset: state.link.hasEthernetHeader ? 14 : 0,
            // Another rule of the same device may have a pump.
            passesReturned: !isEgress && state.link.hasEthernetHeader
        )
        return LaneFilter(
            device: state.link.name,
            hook: isEgress ? .egress : .ingress,
            preference: preference(number, lane.kind, current),
            mark: FilterMark(rule: number, lane: lane.kind),
            program: try program(classifier),
            target: target.description
        )
    }

    func program(_ classifier: Classifier) throws(ConditioningError) -> [BPFInstruction] {
        let selection = classifier.selection
        if selection.description.utf8.count <= LaneAlias.longestSelection, let program = classifier.program() {
            return program
        }
        throw ConditioningError(
            .tooMuch,
            "more selectors than a rule can hold: \(selection)",
            remedy: "give one rule fewer selectors, or several rules some each"
        )
    }

    /// Where a lane's filter hangs: in the place of the one it replaces, unless somebody's has come ahead of that.
    func preference(_ rule: Int, _ kind: Lane, _ current: LaneState?) -> UInt16 {
        current?.filter.flatMap(preferenceIfAhead) ?? preferenceBase + Self.place(rule, kind)
    }

    /// A lane's place among ours.
    private static func place(_ rule: Int, _ kind: Lane) -> UInt16 {
        UInt16(maximumRules - rule) * placesPerRule + kind.order
    }

    private var firstForeignPreference: UInt16 { state.foreign.compactMap(\.preference).min() ?? .max }

    /// The preference that a filter has, unless somebody's has come ahead of it since.
    func preferenceIfAhead(_ filter: LaneFilter) -> UInt16? {
        filter.preference < firstForeignPreference ? filter.preference : nil
    }

    /// Where our places begin: behind the kernel's own choices, or ahead of foreign filters where that was asked;
    /// in any case no later than for the rules that are there, so that a later rule stays ahead of them.
    var preferenceBase: UInt16 {
        let foreign = firstForeignPreference
        let size = UInt16(Self.maximumRules) * Self.placesPerRule
        let base = foreign >= Self.firstPreference + size ? Self.firstPreference : foreign > size ? foreign - size : 1
        let present = state.rules.filter { $0.number <= Self.maximumRules }.flatMap(\.lanes).compactMap { lane in
            lane.filter.map { Int($0.preference) - Int(Self.place(lane.name.rule, lane.name.kind)) }
        }
        return min(base, UInt16(clamping: max(present.min() ?? .max, 1)))
    }

    func checkForeign(_ request: RuleRequest, needsEgress: Bool) throws(ConditioningError) {
        let device = state.link.name
        guard state.link.hasEthernetHeader || state.link.hasNoHeader else {
            throw ConditioningError(
                .unsupported,
                "\(device) is of a kind whose packets linkcond cannot read: neither Ethernet nor bare IP"
            )
        }
        if ["ifb", LaneState.tapKind].contains(state.link.kind), LaneName(device) != nil,
            state.link.alias.flatMap({ LaneAlias($0) }) != nil
        {
            throw ConditioningError(
                .unsupported,
                "\(device) carries the conditions of another interface",
                remedy: "linkcond status"
            )
        }
        if state.sharesHook {
            throw ConditioningError(
                .unsupported,
                "\(device) shares its filters with other devices through a block: conditions would hit those too"
            )
        }
        if state.hook == .ingressOnly, needsEgress {
            throw ConditioningError(
                .unsupported,
                "\(device) has an ingress qdisc of somebody else, in whose place clsact would be needed for packets that leave",
                remedy: "a profile that only has a downlink, or: tc qdisc del dev \(device) ingress"
            )
        }
        let ahead = state.foreign.filter { $0.preference == nil }
        let list = state.foreign.map(\.words).joined(separator: ", ")
        let size = UInt16(Self.maximumRules) * Self.placesPerRule
        if !state.foreign.isEmpty, !request.beforeForeign {
            throw ConditioningError(
                .unsupported,
                "\(device) has classifiers of somebody else, which may pass or drop packets before they are conditioned, "
                    + "and would not see conditioned ones: \(list)",
                remedy: "--before-foreign, if those may miss the conditioned packets"
            )
        }
        if !ahead.isEmpty || state.foreign.contains(where: { ($0.preference ?? .max) <= size }) {
            throw ConditioningError(
                .unsupported,
                "\(device) has classifiers of somebody else that cannot be preceded: \(list)"
            )
        }
    }
}
