// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import Netlink

/// The filters of lanes, and other programs' filters.
extension Planner {
    /// The filter that redirects a lane's packets to the ifb `target`.
    ///
    /// - Parameter current: the lane that this one replaces.
    func filter(
        to target: LaneName,
        for lane: LaneQdiscs,
        of request: RuleRequest,
        rule number: Int,
        replacing current: LaneState?
    ) throws(ConditioningError) -> LaneFilter {
        // On loopback every packet passes the egress hook once, so all filters are there.
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
            // Another rule of the device may have a pump.
            passesReturned: !isEgress && state.link.hasEthernetHeader
        )
        return LaneFilter(
            device: state.link.name,
            hook: isEgress ? .egress : .ingress,
            preference: try preference(of: lane.kind, rule: number, replacing: current),
            mark: FilterMark(rule: number, lane: lane.kind),
            program: try program(classifier),
            failOpen: nil,
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
            remedy: "use fewer selectors, or distribute them among several rules"
        )
    }

    /// The preference of a lane's filter: that of the filter it replaces, unless a foreign filter now precedes it.
    ///
    /// - Throws: `tooMuch` if there is no room ahead of the foreign filters.
    func preference(of kind: Lane, rule: Int, replacing current: LaneState?) throws(ConditioningError) -> UInt16 {
        if let kept = current?.filter.flatMap(preferenceIfAhead) { return kept }
        guard rule <= capacity else { throw noRoom }
        return UInt16(clamping: Int(preferenceBase) + place(rule, kind))
    }

    /// A lane's offset from `preferenceBase`.
    private func place(_ rule: Int, _ kind: Lane) -> Int {
        (capacity - rule) * Self.placesPerRule + Int(kind.order)
    }

    /// The number of rules for which there is room: ahead of the foreign filters, each needs `placesPerRule` filters and
    /// one for returning packets; and each must precede the earlier rules.
    var capacity: Int {
        let room = Int(firstForeignPreference) - 1
        // A single rule may do without a filter for returning packets.
        let ahead = max(room / (Self.placesPerRule + 1), room >= Self.placesPerRule ? 1 : 0)
        let beforeEarlierRules = state.rules.flatMap(\.lanes).compactMap { lane in
            lane.filter.map { filter in
                let first = Int(filter.preference) - Int(lane.name.kind.order)
                let places = first - 1 + Self.placesPerRule * lane.name.rule
                return max(places / (Self.placesPerRule + 1), lane.name.rule)
            }
        }
        return min(Self.maximumRules, ahead, beforeEarlierRules.min() ?? .max)
    }

    var noRoom: ConditioningError {
        ConditioningError(
            .tooMuch,
            "\(state.link.name) has no room for more than \(capacity) rule\(capacity == 1 ? "" : "s")",
            remedy: "linkcond reset -i \(state.link.name)"
        )
    }

    private var firstForeignPreference: UInt16 { state.foreign.compactMap(\.preference).min() ?? .max }

    /// The preference of a filter; nil if a foreign filter precedes it.
    func preferenceIfAhead(_ filter: LaneFilter) -> UInt16? {
        filter.preference < firstForeignPreference ? filter.preference : nil
    }

    /// The first preference for lanes: above those that the kernel assigns, or below those of foreign filters. It never
    /// exceeds that of the present rules, so that a later rule precedes them.
    var preferenceBase: UInt16 {
        let foreign = Int(firstForeignPreference)
        let first = Int(Self.firstPreference)
        let size = capacity * Self.placesPerRule
        let base = foreign >= first + size ? first : foreign - size
        let present = state.rules.flatMap(\.lanes).compactMap { lane in
            lane.filter.map { Int($0.preference) - place(lane.name.rule, lane.name.kind) }
        }
        return UInt16(clamping: max(min(base, present.min() ?? .max), 1))
    }

    /// Checks that the rule can be added despite other programs' classifiers and qdiscs.
    func checkForeign(_ request: RuleRequest, needsEgress: Bool) throws(ConditioningError) {
        let device = state.link.name
        guard state.link.hasEthernetHeader || state.link.hasNoHeader else {
            throw ConditioningError(
                .unsupported,
                "\(device) has an unsupported link type: neither Ethernet nor plain IP"
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
                "\(device) shares its filters with other devices through a block, which conditions would affect too"
            )
        }
        if state.hook == .ingressOnly, needsEgress {
            throw ConditioningError(
                .unsupported,
                "\(device) has an ingress qdisc of another program; conditioning outgoing packets needs clsact instead",
                remedy: "a profile that only has a downlink, or: tc qdisc del dev \(device) ingress"
            )
        }
        guard !state.foreign.isEmpty else { return }
        let list = state.foreign.map(\.description).joined(separator: ", ")
        // A tcx program has no preference.
        if capacity == 0 || state.foreign.contains(where: { $0.preference == nil }) {
            throw ConditioningError(
                .unsupported,
                "\(device) has classifiers of other programs that no filter can precede: \(list)"
            )
        }
        if !request.beforeForeign {
            throw ConditioningError(
                .unsupported,
                "\(device) has classifiers of other programs, which may pass or drop packets before they are conditioned, "
                    + "and would not see conditioned ones: \(list)",
                remedy: "--before-foreign, if those may miss the conditioned packets"
            )
        }
    }
}
