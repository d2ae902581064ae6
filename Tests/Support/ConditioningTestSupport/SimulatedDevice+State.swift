// SPDX-License-Identifier: Apache-2.0

import LinkProfiles
import LinuxSystem
import Netlink

@testable import TrafficControl

extension SimulatedDevice {
    /// The state that an inspector would return.
    var state: DeviceState {
        var lanes: [LaneState] = []
        for (name, ifb) in ifbs.sorted(by: { $0.value.index < $1.value.index }) {
            guard let laneName = LaneName(name) else { continue }
            // An ifb that is still down may not have its alias yet.
            let alias = ifb.alias.flatMap { LaneAlias($0) } ?? LaneAlias(undescribed: laneName)
            let link = Link.made(ifb.index, name, kind: ifb.isTap ? "tun" : "ifb", alias: ifb.alias, isUp: ifb.isUp)
            let qdiscs = ifb.qdiscs.map { qdisc in
                var qdisc = qdisc
                qdisc.link = ifb.index
                // The kernel never returns a delay table.
                if case .netem(let netem) = qdisc.kind { qdisc.kind = .netem(netem.readable) }
                return qdisc
            }
            let own = filters.filter { $0.target == name }.sorted { $0.preference < $1.preference }
            let filter = own.first
            var lane = LaneState(
                name: laneName,
                link: link,
                alias: alias,
                qdiscs: qdiscs,
                filter: filter,
                matchedPackets: 0
            )
            lane.surplus = Array(own.dropFirst())
            lane.leadsBack = ifb.hasReturn || filter == nil
            lane.policer = ifb.policer
            lanes.append(lane)
        }
        let rules = Dictionary(grouping: lanes.filter { $0.filter != nil }, by: \.name.rule).map { number, lanes in
            let sorted = lanes.sorted { $0.name.kind.order < $1.name.kind.order }
            return RuleState(number: number, selection: sorted[0].alias.selection, lanes: sorted)
        }
        var state = DeviceState(
            link: .made(index, name, hardware: hardware, mtu: mtu, portKind: portKind),
            hook: hook,
            sharesHook: sharesHook,
            foreign: foreign,
            rules: rules.sorted { $0.firstPreference < $1.firstPreference },
            orphans: lanes.filter { $0.filter == nil },
            danglingFilters: filters.filter { ifbs[$0.target] == nil }
        )
        if let first = root.first, first.handle != Handle(0x4C43) {
            state.foreignRoot = "\(first.kind.name) \(first.handle)"
        } else if !root.isEmpty {
            let laneName = LaneName(deviceIndex: index, rule: 1, kind: .uplink)
            var lane = LaneState(
                name: laneName,
                link: state.link,
                alias: LaneAlias(undescribed: laneName),
                qdiscs: root.map { qdisc in
                    var qdisc = qdisc
                    qdisc.link = index
                    if case .netem(let netem) = qdisc.kind { qdisc.kind = .netem(netem.readable) }
                    return qdisc
                }
            )
            lane.isAtRoot = true
            state.rules.append(RuleState(number: 1, selection: Selection(), lanes: [lane]))
        }
        state.settings = settings
        state.passes = passes.keys.sorted { $0.preference < $1.preference }
        return state
    }

    /// Adds a classifier of another program; without preference, one that runs before all filters.
    mutating func addForeign(_ description: String, hook: Handle = .egress, preference: UInt16?) {
        foreign.append(DeviceState.Foreign(hook: hook, preference: preference, description: description))
        if self.hook == .none, preference != nil { self.hook = .clsact }
    }
}

extension SimulatedDevice {
    static let kernel = KernelFacts(version: KernelVersion(6, 12))

    func planner(_ kernel: KernelFacts = kernel) -> Planner { Planner(state, kernel) }

    /// The plan to apply `profile`, by root at a fixed time.
    func plan(
        _ profile: Profile,
        _ selection: String = "everything",
        time: Int = 1000,
        seed: UInt64? = nil,
        beforeForeign: Bool = false,
        kernel: KernelFacts = kernel,
        engine: Engine = .netem
    ) throws -> Plan {
        try planner(kernel).apply(
            .made(profile, selection, time: time, seed: seed, beforeForeign: beforeForeign),
            engine
        )
    }

    /// Applies `profile`; returns the plan.
    @discardableResult
    mutating func apply(
        _ profile: Profile,
        _ selection: String = "everything",
        time: Int = 1000,
        beforeForeign: Bool = false,
        isHeld: Bool = false,
        engine: Engine = .netem
    ) throws -> Plan {
        var request = RuleRequest.made(profile, selection, time: time, beforeForeign: beforeForeign)
        request.origin.isHeld = isHeld
        let plan = try planner().apply(request, engine)
        try carryOut(plan)
        return plan
    }

    /// Removes everything; returns the plan.
    @discardableResult
    mutating func reset() throws -> Plan {
        let plan = planner().reset()
        try carryOut(plan)
        return plan
    }
}

extension RuleRequest {
    /// A request of root at a fixed time.
    static func made(
        _ profile: Profile,
        _ selection: String = "everything",
        time: Int = 1000,
        seed: UInt64? = nil,
        beforeForeign: Bool = false
    ) -> RuleRequest {
        guard let selection = Selection(selection) else { preconditionFailure("\(selection) selects nothing") }
        let origin = Origin(time: time, userID: 0, processID: 42)
        return RuleRequest(
            profile: profile,
            selection: selection,
            seed: seed,
            beforeForeign: beforeForeign,
            origin: origin
        )
    }
}
