// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import Netlink

/// On a kernel that cannot redirect packets, the only lane is the root qdisc of the conditioned device: it conditions
/// all packets that leave the device.
extension Planner {
    /// The plan that makes netem the root qdisc; nil if lanes can have ifbs or TAP devices.
    ///
    /// - Throws: the reason why netem cannot be the root qdisc. An existing root qdisc is not replaced: its packets
    ///   would be lost, or new packets would have to wait for them.
    func rootPlan(of request: RuleRequest, _ engine: Engine) throws(ConditioningError) -> Plan? {
        let device = state.link.name
        guard !state.rules.flatMap(\.lanes).contains(where: \.isAtRoot) else {
            throw unsupported(
                "the conditions of \(device) are its root qdisc, which cannot be changed without harm to the packets in it",
                remedy: Remedy(.reset, device)
            )
        }
        guard !kernel.canRedirect, engine == .netem, !request.profile.lanes.isEmpty else { return nil }
        try checkRoot(request)
        var translation = try translate(request, mtu: state.link.mtu, replacing: nil)
        guard let lane = translation.lanes.popLast() else { return nil }
        var plan = Plan()
        plan.root = lane
        plan.build = lane.qdiscs(on: 0, atRoot: true).map { .kernel(.addRootQdisc(device, $0)) }
        plan.notes = [
            "without ifb and mirred in this kernel, netem is the root qdisc of \(device): it conditions all packets that "
                + "leave, ARP, neighbour discovery and DHCP too"
        ]
        if !translation.approximate.isEmpty {
            plan.notes.append("its queue counts packets, those in flight too, and each as a full-size one")
        }
        return plan
    }

    private func checkRoot(_ request: RuleRequest) throws(ConditioningError) {
        let device = state.link.name
        let cause = "this kernel has no ifb or no mirred, so that only all that leaves \(device) can be conditioned"
        if request.profile.lanes.map(\.lane) != [.uplink] || request.facing != .host || state.link.isLoopback {
            let kinds = request.profile.lanes.map(\.lane).filter { $0 != .uplink }.map(\.name)
            let what = state.link.isLoopback || kinds.isEmpty ? "" : ", not the \(kinds.joined(separator: " and the "))"
            throw unsupported(cause + what, remedy: "figures for an uplink alone: --uplink 'delay=100 ms,loss=1 %'")
        }
        guard request.selection.isEverything else {
            throw unsupported("\(cause), not \(request.selection.words)", remedy: "the same without selectors")
        }
        guard state.link.hasEthernetHeader || state.link.hasNoHeader else {
            throw unsupported("\(device) has an unsupported link type: neither Ethernet nor plain IP")
        }
        if let root = state.foreignRoot {
            throw unsupported(
                "\(cause), by its root qdisc, which is another program's: \(root)",
                remedy: "tc qdisc del dev \(device) root"
            )
        }
        guard state.rules.isEmpty else {
            throw unsupported("\(device) has other conditions", remedy: Remedy(.reset, device))
        }
    }

    /// The steps that remove the root qdisc once it holds no packets. Until then, new packets pass it without delay.
    func drainAndDeleteRoot(_ lane: LaneState) -> [PlanStep] {
        let device = state.link.name
        guard let present = lane.lane, !lane.isAltered else { return [.kernel(.deleteRootQdisc(device))] }
        let changes = lane.qdiscs.compactMap { qdisc -> PlanStep? in
            guard case .netem = qdisc.kind else { return nil }
            let (free, old) = (qdisc.with(.netem(Netem(limit: LaneQdiscs.unlimited))), qdisc.with(qdisc.kind))
            return .kernel(.changeRootQdisc(device, free, previous: old))
        }
        return changes + [
            .drain(.root(device), atMost: min(present.longestStay, Self.longestDrain)),
            .kernel(.deleteRootQdisc(device)),
        ]
    }
}

extension Qdisc {
    /// This qdisc with other options, without its counters and its device's index.
    fileprivate func with(_ kind: QdiscKind) -> Qdisc { Qdisc(link: 0, parent: parent, handle: handle, kind: kind) }
}
