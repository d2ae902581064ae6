// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import Netlink

/// What is taken away, and the device's own settings given back.
extension Planner {
    /// A plan that takes away every rule of the device, and whatever else is ours on it.
    public func reset() -> Plan {
        var plan = Plan()
        let lanes = state.rules.flatMap(\.lanes)
        // The filter that is asked last goes first, so that no packet takes a lane it was not meant for.
        let filters = lanes.compactMap(\.filter).sorted { $0.preference > $1.preference }
        plan.retire += (filters + state.danglingFilters).map(Operation.deleteFilter)
        plan.retire += state.passes.map { .deletePass(device: state.link.name, preference: $0) }
        // The ifbs go last: they are the memory of what there is to restore.
        plan.retire += restoreMTU(remaining: [], needsMTU: false) + removeHook(remaining: [], stillNeeded: false)
        for lane in lanes + state.orphans { plan.retire += retire(lane) }
        return plan
    }

    /// A plan that takes away the rule for `selection`, if any, and lanes that process `owner` left half made.
    public func remove(_ selection: Selection?, owner: Int32) -> Plan {
        var plan = Plan()
        let remaining = state.rules.filter { $0.selection != selection }
        let rule = state.rules.first { $0.selection == selection }
        let filters = (rule?.lanes ?? []).compactMap(\.filter).sorted { $0.preference > $1.preference }
        // A lane that nobody has described yet is as good as the owner's: nobody else's is missed.
        let unfinished = state.orphans.filter { $0.tag.processID == owner || $0.tag.device.isEmpty }
        plan.retire += filters.map(Operation.deleteFilter)
        plan.retire += restoreMTU(remaining: remaining, needsMTU: false)
        plan.retire += removeHook(remaining: remaining, stillNeeded: false)
        for lane in (rule?.lanes ?? []) + unfinished { plan.retire += retire(lane) }
        return plan
    }

    /// Lets a lane drain and deletes it. Its filter is gone or leads elsewhere by then.
    func retire(_ lane: LaneState) -> [Operation] {
        var operations: [Operation] = []
        if let netem = lane.lane?.netem {
            let bytes = netem.rate.bytesPerSecond
            let rate = bytes > 0 ? BitRate(bitsPerSecond: bytes &* 8) : nil
            let limit = Self.longestDrain.nanoseconds
            let longest = Duration.nanoseconds(min(netem.latency, limit) + 4 * min(netem.jitter, limit))
            let time = QueueLimit.drainTime(netemLimit: netem.limit, rate: rate, delay: longest)
            operations.append(.drain(lane.name.description, atMost: min(time, Self.longestDrain)))
        }
        return operations + [.deleteIFB(lane.name.description)]
    }

    /// What a lane holds is waited for this long at most.
    static let longestDrain = Duration.seconds(10)

    /// Comes before the last ifb that remembers the MTU is deleted: the process may be killed in between.
    func restoreMTU(remaining: [RuleState], needsMTU: Bool) -> [Operation] {
        let remembered = state.danglingFilters.isEmpty ? nil : memory.previousMTU
        guard let previous = leaving(remaining).compactMap(\.tag.previousMTU).first ?? remembered, !needsMTU,
            !remaining.flatMap(\.lanes).contains(where: { $0.tag.previousMTU != nil }),
            state.link.mtu == Self.loopbackMTU
        else { return [] }
        return [.setMTU(state.link.name, previous, previous: state.link.mtu)]
    }

    func removeHook(remaining: [RuleState], stillNeeded: Bool) -> [Operation] {
        let isRemembered = memory.madeHook && !state.danglingFilters.isEmpty
        let isOurs = leaving(remaining).contains(where: \.tag.madeHook) || isRemembered
        return isOurs && state.hook != .none && remaining.isEmpty && !stillNeeded ? [.deleteHook(state.link.name)] : []
    }

    func leaving(_ remaining: [RuleState]) -> [LaneState] {
        state.rules.filter { rule in !remaining.contains(rule) }.flatMap(\.lanes) + state.orphans
    }
}
