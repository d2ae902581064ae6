// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import Netlink

/// What is taken away, and the device's own settings given back.
extension Planner {
    /// A plan that takes away every rule of the device, and whatever else is ours on it.
    public func reset() -> Plan {
        var plan = Plan()
        let lanes = state.rules.flatMap(\.lanes)
        plan.retire += deleteFilters(of: lanes)
        plan.retire += clear(lanes + state.orphans, remaining: [])
        return plan
    }

    /// A plan that takes away the rule for `selection`, if any, and lanes that process `owner` left half made.
    public func remove(_ selection: Selection?, owner: Int32) -> Plan {
        var plan = Plan()
        let remaining = state.rules.filter { $0.selection != selection }
        let rule = state.rules.first { $0.selection == selection }
        // A lane that nobody has described yet is as good as the owner's: nobody else's is missed.
        let unfinished = state.orphans.filter { $0.tag.processID == owner || $0.tag.device.isEmpty }
        plan.retire += deleteFilters(of: rule?.lanes ?? [], andDangling: false)
        plan.retire += clear((rule?.lanes ?? []) + unfinished, remaining: remaining)
        return plan
    }

    /// Sets the lanes' traffic free, and that of filters whose device is gone.
    package func deleteFilters(of lanes: [LaneState], andDangling: Bool = true) -> [Step] {
        // The filter that is asked last goes first, so that no packet takes a lane it was not meant for.
        let filters = lanes.compactMap(\.filter).sorted { $0.preference > $1.preference }
        let dangling = andDangling ? state.danglingFilters.map { Step.kernel(.deleteFilter($0)) } : []
        let passes = andDangling ? state.danglingPasses.map(deletePass) : []
        return filters.map { Step.kernel(.deleteFilter($0)) } + dangling + passes
    }

    /// What a rule that is new needs of what earlier ones changed.
    package struct Needs {
        package var mtu = false
        package var hook = false
        package var settings = false

        package init(mtu: Bool = false, hook: Bool = false, settings: Bool = false) {
            self.mtu = mtu
            self.hook = hook
            self.settings = settings
        }

        package static let all = Needs(mtu: true, hook: true, settings: true)
    }

    /// Takes away lanes to which no filter leads any more, and gives the device back what only they needed.
    ///
    /// - Parameter remaining: the rules that stay as they are.
    package func clear(_ lanes: [LaneState], remaining: [RuleState], _ needs: Needs = Needs()) -> [Step] {
        // What a pump still writes back must be let pass, and the hook stays as long as that filter does.
        let pumped = lanes.filter(\.isPumped)
        var operations = pumped.map { Step.drain(.pump($0.name.description), atMost: Self.longestDrain) }
        let leaving = pumped.filter { lane in
            // What is left of a rule's earlier pump leaves the pass of the present one alone.
            lane.name.kind == .uplink && !remaining.contains { $0.number == lane.name.rule && $0.isPumped }
        }
        operations += state.passes.filter { pass in leaving.contains { $0.name.rule == pass.rule } }.map(deletePass)
        // The lanes go last: they are the memory of what there is to restore.
        if !needs.mtu { operations += restoreMTU(remaining) }
        if !needs.settings { operations += restoreSettings(remaining) }
        if !needs.hook { operations += removeHook(remaining) }
        return operations + lanes.flatMap(retire)
    }

    private func deletePass(_ pass: ReturnPass) -> Step { .kernel(.deletePass(device: state.link.name, pass: pass)) }

    /// Lets a lane drain and deletes it. Its filter is gone or leads elsewhere by then.
    private func retire(_ lane: LaneState) -> [Step] {
        var operations: [Step] = []
        if let netem = lane.lane?.netem {
            let bytes = netem.rate.bytesPerSecond
            let rate = bytes > 0 ? BitRate(bitsPerSecond: bytes &* 8) : nil
            let limit = Self.longestDrain.nanoseconds
            let longest = Duration.nanoseconds(min(netem.latency, limit) + 4 * min(netem.jitter, limit))
            let time = QueueLimit.drainTime(netemLimit: netem.limit, rate: rate, delay: longest)
            operations.append(.drain(.ifb(lane.name.description), atMost: min(time, Self.longestDrain)))
        }
        return operations + [.kernel(.deleteDevice(lane.name.description))]
    }

    /// What a lane holds is waited for this long at most.
    static let longestDrain = Duration.seconds(10)

    /// Comes before the last lane that remembers the MTU is deleted: the process may be killed in between.
    private func restoreMTU(_ remaining: [RuleState]) -> [Step] {
        let remembered = isRemembered ? memory.previousMTU : nil
        guard let previous = leaving(remaining).compactMap(\.tag.previousMTU).first ?? remembered,
            !remaining.flatMap(\.lanes).contains(where: { $0.tag.previousMTU != nil }),
            state.link.mtu == Self.loopbackMTU
        else { return [] }
        return [.kernel(.setMTU(state.link.name, previous, previous: state.link.mtu))]
    }

    private func restoreSettings(_ remaining: [RuleState]) -> [Step] {
        let remembered = isRemembered ? memory.previousSettings : nil
        guard let previous = leaving(remaining).compactMap(\.tag.previousSettings).first ?? remembered,
            !remaining.contains(where: \.isPumped), let present = state.settings, present != previous,
            present.lies(between: previous, and: .admitting)
        else { return [] }
        return [.setLoopback(state.link.name, previous, previous: present)]
    }

    private func removeHook(_ remaining: [RuleState]) -> [Step] {
        let isOurs = leaving(remaining).contains(where: \.tag.madeHook) || memory.madeHook && isRemembered
        return isOurs && state.hook != .none && remaining.isEmpty ? [.kernel(.deleteHook(state.link.name))] : []
    }

    /// Whether the journal's memory is to be gone by: there is something in the kernel, or a change that was cut off,
    /// whose lanes are gone. Alone it proves nothing.
    private var isRemembered: Bool { state.hasDangling || memory.isCutOff && state.rules.isEmpty }

    private func leaving(_ remaining: [RuleState]) -> [LaneState] {
        state.rules.filter { rule in !remaining.contains(rule) }.flatMap(\.lanes) + state.orphans
    }
}
