// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import Netlink

/// The way of one rule from what is there to what is wanted: lanes that are made, kept and left, in the order in which
/// no packet is lost.
struct RulePlanBuilder {
    private let planner: Planner
    private let old: RuleState?
    private let request: RuleRequest
    private let number: Int
    private let lanes: [Planner.PlannedLane]
    /// The largest packet that loopback is given for the rule; nil where it has that already, or needs none.
    private let mtu: UInt32?
    /// What loopback's settings are now, where the rule needs others.
    private let admission: LoopbackSettings?
    /// What the device had before our first rule, as far as this one takes it away.
    private let previous: (mtu: UInt32?, settings: LoopbackSettings?)
    private let madeHook: Bool
    private var plan = Plan()
    /// What leads the traffic to new lanes, once those and the hook are there.
    private var steps: [Step] = []
    /// Lanes to which no filter leads any more by then.
    private var leaving: [LaneState]
    /// What comes behind all that is taken away.
    private var last: [Step] = []

    private var state: DeviceState { planner.state }

    init(
        _ planner: Planner,
        _ old: RuleState?,
        _ request: RuleRequest,
        _ number: Int,
        _ lanes: [Planner.PlannedLane],
        mtu: UInt32?
    ) {
        self.planner = planner
        self.old = old
        self.request = request
        self.number = number
        self.lanes = lanes
        self.mtu = mtu
        let state = planner.state
        leaving = state.orphans
        let tags = (state.rules.flatMap(\.lanes) + state.orphans).map(\.tag)
        let isPumped = lanes.contains { if case .pump = $0.carriage { true } else { false } }
        admission = isPumped ? state.settings : nil
        let needsMTU = planner.needsSmallPackets(request.profile)
        previous = (
            mtu: needsMTU ? tags.compactMap(\.previousMTU).first ?? mtu.map { _ in state.link.mtu } : nil,
            settings: admission.map { tags.compactMap(\.previousSettings).first ?? $0 }
        )
        madeHook = state.hook == .none || tags.contains { $0.madeHook }
    }

    /// Plans all of it.
    consuming func finished() throws(ConditioningError) -> Plan {
        for lane in lanes { try put(lane) }
        let device = state.link.name
        if state.hook == .none, !lanes.isEmpty { plan.build.append(.kernel(.addHook(device))) }
        if let mtu { plan.build.append(.kernel(.setMTU(device, mtu, previous: state.link.mtu))) }
        if let admission, admission != .admitting {
            plan.build.append(.setLoopback(device, .admitting, previous: admission))
        }
        // Filters whose device is gone hold places that new ones may need, and drop whatever they pick.
        plan.build += planner.deleteFilters(of: []) + steps

        // Lanes that the new profile has no use for: their traffic becomes free at once.
        for lane in (old?.lanes ?? []).reversed() where !lanes.contains(where: { $0.kind == lane.name.kind }) {
            if let filter = lane.filter { plan.build.append(.kernel(.deleteFilter(filter))) }
            leaving.append(lane)
        }
        let needsMTU = planner.needsSmallPackets(request.profile)
        let needs = Planner.Needs(mtu: needsMTU, hook: !lanes.isEmpty, settings: admission != nil)
        let remaining = state.rules.filter { $0.number != old?.number }
        plan.retire = planner.clear(leaving, remaining: remaining, needs) + last
        return plan
    }

    /// Makes a lane, or keeps the one that is there, and leads its traffic there.
    private mutating func put(_ lane: Planner.PlannedLane) throws(ConditioningError) {
        let current = old?.lanes.first { $0.name.kind == lane.kind }
        let kept = current.flatMap { isSame($0, lane.carriage) ? $0 : nil }
        let name = if let kept { kept.name } else { try freeName(lane.kind, after: current) }
        let filter: LaneFilter
        switch lane.carriage {
        case .netem(let netem):
            filter = try planner.filter(netem, request, number, target: name, current: current)
            plan.expected.append(ExpectedLane(name: name, lane: netem, filter: filter))
            if kept == nil { plan.build += make(name, netem) }
        case .pump(let traffic):
            filter = try planner.pumpedFilter(lane.kind, traffic, request, number, target: name, current: current)
            plan.expected.append(ExpectedLane(name: name, lane: nil, filter: filter))
            if kept == nil { try lead(planner.tap(name, traffic), lane.kind) }
        }
        if let kept { describe(kept) } else if let current { leaving.append(current) }
        if let previous = current?.filter, previous.preference == filter.preference {
            if previous != filter { steps.append(.kernel(.replaceFilter(filter, previous: previous))) }
        } else {
            steps += [.kernel(.addFilter(filter))] + (current?.filter.map { [.kernel(.deleteFilter($0))] } ?? [])
        }
        // One word to a pump is enough.
        if case .pump = lane.carriage, kept != nil, lane.kind == lanes.first?.kind {
            steps.append(.pump(.use(tap: name.description, request.conditions)))
        }
    }

    private func make(_ name: LaneName, _ lane: LaneQdiscs) -> [Step] {
        let ifb = name.description
        let tag = tag(lane.kind, previous.mtu)
        return [
            .kernel(.addIFB(ifb)), .kernel(.describe(ifb, alias: tag.text, previous: nil)),
            .kernel(.disableAddresses(ifb)),
        ]
            + lane.qdiscs(on: 0).map { .kernel(.addQdisc(ifb, $0)) } + [.kernel(.bringUp(ifb))]
    }

    /// Prepares a TAP device, which a pump makes beforehand.
    private mutating func lead(_ tap: Tap, _ kind: Lane) throws(ConditioningError) {
        plan.taps.append(tap)
        let alias = tag(kind, previous.mtu).text
        plan.build.append(.kernel(.describe(tap.name, alias: alias, previous: nil)))
        plan.build.append(.kernel(.addReturn(tap: tap.name, device: state.link.name, arrives: tap.traffic != .leaving)))
        guard tap.traffic == .leaving else { return }
        steps.append(.kernel(.addPass(device: state.link.name, tap: tap.name, pass: try planner.pass(rule: number))))
    }

    /// Has a lane that is kept say what it carries from now on.
    private mutating func describe(_ lane: LaneState) {
        let name = lane.name.description
        // What the device gets back is to be remembered until it has it.
        let alias = tag(lane.name.kind, previous.mtu ?? lane.tag.previousMTU).text
        plan.build.append(.kernel(.describe(name, alias: alias, previous: lane.tag.text)))
        let final = tag(lane.name.kind, previous.mtu).text
        if final != alias { last.append(.kernel(.describe(name, alias: final, previous: alias))) }
    }

    private func tag(_ kind: Lane, _ previousMTU: UInt32?) -> LaneAlias {
        LaneAlias(
            device: state.link.name,
            lane: kind,
            rule: number,
            appliedAt: request.origin.time,
            userID: request.origin.userID,
            processID: request.origin.processID,
            madeHook: madeHook,
            previousMTU: previousMTU,
            previousSettings: previous.settings,
            selection: request.selection,
            profile: request.profile.name
        )
    }

    /// Whether a lane in the kernel is the one wanted. A delay table is never read back, so jitter counts as new; a pump
    /// is kept whole or not at all: one that is being killed loses its devices one by one.
    private func isSame(_ current: LaneState, _ carriage: Planner.PlannedLane.Carriage) -> Bool {
        guard case .netem(let lane) = carriage else {
            let pumped = old?.lanes.filter(\.isPumped).map(\.name.kind) ?? []
            return lanes.allSatisfy { pumped.contains($0.kind) }
        }
        guard current.link.isUp, let present = current.lane, lane.netem.jitter == 0, present.netem.jitter == 0 else {
            return false
        }
        return Verification.difference(between: lane, and: present) == nil
    }

    private func freeName(_ kind: Lane, after current: LaneState?) throws(ConditioningError) -> LaneName {
        let taken = Set((state.rules.flatMap(\.lanes) + state.orphans).map(\.name))
        // A pump answers to the names of all the devices that it began with, be they gone: all get another generation.
        let last = current?.name.generation ?? old?.lanes.first(where: \.isPumped)?.name.generation
        var name = LaneName(deviceIndex: state.link.index, rule: number, kind: kind, generation: last ?? 0)
        if last != nil { name = name.successor }
        for _ in 0..<10 where taken.contains(name) { name = name.successor }
        guard !taken.contains(name) else {
            throw ConditioningError(
                .tooMuch,
                "every name for the \(kind.name) of rule \(number) is taken by lanes that were left to drain",
                remedy: "linkcond reset -i \(state.link.name)"
            )
        }
        guard name.description.utf8.count <= LinkRequest.maximumNameLength else {
            throw ConditioningError(
                .tooMuch,
                "\(name) is too long for an interface: index \(state.link.index) leaves no room for rule \(number)",
                remedy: "linkcond reset -i \(state.link.name)"
            )
        }
        return name
    }
}
