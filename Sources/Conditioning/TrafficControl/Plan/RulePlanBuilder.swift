// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import Netlink

/// Builds the plan that adds or changes one rule: the lanes that it makes, keeps and removes, in an order in which no
/// packet is lost.
struct RulePlanBuilder {
    let planner: Planner
    let old: RuleState?
    let request: RuleRequest
    let number: Int
    let place: Planner.Placement
    let lanes: [Planner.PlannedLane]
    /// The MTU that loopback gets for the rule; nil if it does not change.
    let mtu: UInt32?
    private(set) var result = Plan()
    /// The steps that redirect traffic to new lanes, after the lanes and the hook have been made.
    private(set) var steps: [PlanStep] = []
    /// The lanes that have no filter after `steps`.
    private(set) var leaving: [LaneState] = []
    /// The steps at the end of the teardown, after the lanes have been deleted.
    private(set) var last: [PlanStep] = []

    private var state: DeviceState { planner.state }
    private var aliases: [LaneAlias] { state.lanes.map(\.alias) }
    private var needsMTU: Bool { planner.needsSmallPackets(request.profile) }

    /// Loopback's present settings, if the rule needs a pump.
    private var admission: LoopbackSettings? { lanes.contains { $0.qdiscs == nil } ? state.settings : nil }

    /// The MTU before the first rule, if this rule changes it.
    private var previousMTU: UInt32? {
        needsMTU ? aliases.compactMap(\.previousMTU).first ?? mtu.map { _ in state.link.mtu } : nil
    }

    consuming func plan() throws(ConditioningError) -> Plan {
        for lane in lanes { try add(lane) }
        let device = state.link.name
        if state.hook == .none, !lanes.isEmpty { result.build.append(.kernel(.addHook(device))) }
        if let mtu { result.build.append(.kernel(.setMTU(device, mtu, previous: state.link.mtu))) }
        if let admission, admission != .admitting {
            result.build.append(.setLoopback(device, .admitting, previous: admission))
        }
        // Filters whose device is gone occupy preferences that new filters may need, and drop the packets that they
        // match.
        result.build += planner.deleteFilters(of: []) + (lanes.isEmpty ? [] : place.build) + steps

        // Lanes that the new profile does not need: their traffic is no longer conditioned from here on.
        for lane in (old?.lanes ?? []).reversed() where !lanes.contains(where: { $0.kind == lane.name.kind }) {
            if let filter = lane.filter { result.build.append(.kernel(.deleteFilter(filter))) }
            leaving.append(lane)
        }
        let needs = Planner.Needs(mtu: needsMTU, hook: !lanes.isEmpty, settings: admission != nil)
        let remaining = state.rules.filter { $0.number != old?.number }
        result.teardown =
            (lanes.isEmpty ? [] : place.teardown)
            + planner.clear(state.orphans + leaving, remaining: remaining, needs) + last
        return result
    }

    /// Makes a lane or keeps the present one, and redirects the lane's traffic to it.
    private mutating func add(_ lane: Planner.PlannedLane) throws(ConditioningError) {
        let current = old?.lanes.first { $0.name.kind == lane.kind }
        let kept = current.flatMap { isSame($0, lane) ? $0 : nil }
        let name = if let kept { kept.name } else { try freeName(lane.kind, after: current) }
        let filter = try planner.filter(to: name, for: lane, of: request, rule: number, at: place)
        result.expected.append(ExpectedLane(name: name, lane: lane.qdiscs, filter: filter))
        if let kept {
            updateAlias(of: kept)
        } else {
            switch lane {
            case .netem(let qdiscs): result.build += make(name, qdiscs)
            case .pump(let traffic, let facing): try addTap(planner.tap(name, traffic, facing), lane.kind)
            }
            if let current { leaving.append(current) }
        }
        if let previous = current?.filter, previous.preference == filter.preference, previous.hook == filter.hook {
            if previous.listed != filter.listed { steps.append(.kernel(.replaceFilter(filter, previous: previous))) }
        } else {
            steps += [.kernel(.addFilter(filter))] + (current?.filter.map { [.kernel(.deleteFilter($0))] } ?? [])
        }
        // One request changes all lanes of a pump.
        if lane.qdiscs == nil, kept != nil, lane.kind == lanes.first?.kind {
            steps.append(.pump(.use(tap: name.description, request.recordedConditions)))
        }
    }

    private func make(_ name: LaneName, _ lane: LaneQdiscs) -> [PlanStep] {
        let ifb = name.description
        let alias = alias(of: lane.kind, previousMTU: previousMTU)
        return [
            .kernel(.addIFB(ifb)), .kernel(.describe(ifb, alias: alias, previous: nil)),
            .kernel(.disableAddresses(ifb)),
        ]
            + lane.qdiscs(on: 0).map { .kernel(.addQdisc(ifb, $0)) }
            + (lane.policer.map { [.kernel(.addPolicer(ifb, $0))] } ?? []) + [.kernel(.bringUp(ifb))]
    }

    /// Adds the steps for a TAP device, which the pump creates before the plan is carried out.
    private mutating func addTap(_ tap: Tap, _ kind: Lane) throws(ConditioningError) {
        result.taps.append(tap)
        let alias = alias(of: kind, previousMTU: previousMTU)
        result.build.append(.kernel(.describe(tap.name, alias: alias, previous: nil)))
        let device = state.link.name
        result.build.append(.kernel(.addReturn(tap: tap.name, device: device, arrives: tap.traffic != .leaving)))
        guard tap.traffic == .leaving else { return }
        let pass = try planner.pass(rule: number, place)
        steps.append(.kernel(.addPassFilter(device: device, tap: tap.name, pass: pass)))
    }

    /// Updates the alias of a lane that is kept.
    private mutating func updateAlias(of lane: LaneState) {
        let name = lane.name.description
        // The alias holds the previous MTU until the MTU has been restored.
        let present = alias(of: lane.name.kind, previousMTU: previousMTU ?? lane.alias.previousMTU)
        result.build.append(.kernel(.describe(name, alias: present, previous: lane.alias.text)))
        let final = alias(of: lane.name.kind, previousMTU: previousMTU)
        if final != present { last.append(.kernel(.describe(name, alias: final, previous: present))) }
    }

    private func alias(of kind: Lane, previousMTU: UInt32?) -> String {
        LaneAlias(
            device: state.link.name,
            lane: kind,
            rule: number,
            appliedAt: request.origin.time,
            userID: request.origin.userID,
            processID: request.origin.processID,
            maker: request.origin.process,
            isHeld: request.origin.isHeld,
            madeHook: state.hook == .none || aliases.contains { $0.madeHook },
            previousMTU: previousMTU,
            previousSettings: admission.map { aliases.compactMap(\.previousSettings).first ?? $0 },
            facing: request.facing,
            selection: request.selection,
            profile: request.profile.name
        ).text
    }

    /// Whether a lane in the kernel is the requested one. A delay table cannot be read back, so a lane with jitter is
    /// always new. A pump is kept only if all its lanes are present: a dying pump loses its devices one by one.
    private func isSame(_ current: LaneState, _ lane: Planner.PlannedLane) -> Bool {
        guard old?.facing == request.facing else { return false }
        guard let lane = lane.qdiscs else {
            let pumped = old?.lanes.filter(\.isPumped).map(\.name.kind) ?? []
            return lanes.allSatisfy { pumped.contains($0.kind) }
        }
        guard current.link.isUp, let present = current.lane, !lane.hasJitter, !present.hasJitter else { return false }
        return PlanComparison.difference(between: lane, and: present) == nil
    }

    private func freeName(_ kind: Lane, after current: LaneState?) throws(ConditioningError) -> LaneName {
        let taken = Set(state.lanes.map(\.name))
        // A pump's sockets keep the names of all devices with which the pump started, even of deleted ones, so every
        // new name gets another generation.
        let last = current?.name.generation ?? old?.lanes.first(where: \.isPumped)?.name.generation
        var name = LaneName(deviceIndex: state.link.index, rule: number, kind: kind, generation: last ?? 0)
        if last != nil { name = name.successor }
        for _ in 0..<10 where taken.contains(name) { name = name.successor }
        guard !taken.contains(name) else {
            throw planner.tooMuch(
                "every name for the \(kind.name) of rule \(number) is used by lanes that have not been removed"
            )
        }
        guard name.description.utf8.count <= LinkRequest.maximumNameLength else {
            throw planner.tooMuch(
                "\(name) is too long for an interface name: rule \(number) does not fit after index \(state.link.index)"
            )
        }
        return name
    }
}
