// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import Netlink

/// Removing lanes and restoring the device's settings.
extension Planner {
    /// A plan that removes every rule of the device, and linkcond's orphans and dangling filters.
    ///
    /// - Parameter isHeld: whether a lane belongs to a running process; the rule with such a lane stays.
    package func reset(sparing isHeld: (LaneAlias) -> Bool = { _ in false }) -> Plan {
        let remaining = state.rules.filter { $0.isHeld(isHeld) }
        let lanes = state.rules.filter { !remaining.contains($0) }.flatMap(\.lanes)
        var plan = Plan()
        plan.teardown =
            deleteFilters(of: lanes, andDangling: remaining.isEmpty)
            + clear(lanes + state.orphans.filter { !isHeld($0.alias) }, remaining: remaining)
        return plan
    }

    /// A plan that removes the rule for `selection`, if any, and unfinished lanes of process `owner`.
    package func remove(_ selection: Selection?, owner: Int32) -> Plan {
        var plan = Plan()
        let remaining = state.rules.filter { $0.selection != selection }
        let rule = state.rules.first { $0.selection == selection }
        // A lane without an alias counts as the owner's.
        let unfinished = state.orphans.filter { $0.alias.processID == owner || $0.alias.device.isEmpty }
        plan.teardown += deleteFilters(of: rule?.lanes ?? [], andDangling: false)
        plan.teardown += clear((rule?.lanes ?? []) + unfinished, remaining: remaining)
        return plan
    }

    /// The steps that delete the filters of `lanes` and, with `andDangling`, the filters whose device is gone and
    /// surplus filters of other lanes.
    package func deleteFilters(of lanes: [LaneState], andDangling: Bool = true) -> [PlanStep] {
        // In reverse order of evaluation, so that no packet enters another filter's lane.
        let filters = lanes.flatMap { [$0.filter].compactMap(\.self) + $0.surplus }
            .sorted { $0.preference > $1.preference }
        let surplus = state.rules.flatMap(\.lanes).filter { !lanes.contains($0) }.flatMap(\.surplus)
        let dangling = andDangling ? (state.danglingFilters + surplus).map { PlanStep.kernel(.deleteFilter($0)) } : []
        let passes = andDangling ? state.danglingPasses.map(deletePassFilter) : []
        return filters.map { PlanStep.kernel(.deleteFilter($0)) } + dangling + passes
    }

    /// The device settings that a new rule needs.
    package struct Needs {
        var mtu = false
        var hook = false
        var settings = false

        package static let none = Needs()
        package static let all = Needs(mtu: true, hook: true, settings: true)
    }

    /// The steps that delete lanes without filters, and restore the device's settings that only those lanes needed.
    ///
    /// - Parameter remaining: the rules that do not change.
    package func clear(_ lanes: [LaneState], remaining: [RuleState], _ needs: Needs = .none) -> [PlanStep] {
        // The pass stays until the pump has written back its packets, and the hook as long as the pass.
        let pumped = lanes.filter(\.isPumped)
        var operations = pumped.map { PlanStep.drain(.pump($0.name.description), atMost: Self.longestDrain) }
        let leaving = pumped.filter { lane in
            // Removing a rule's earlier pump must not remove the pass of its present pump.
            lane.leaves && !remaining.contains { $0.number == lane.name.rule && $0.isPumped }
        }
        let passes = state.passes.filter { pass in leaving.contains { $0.name.rule == pass.rule } }
        operations += passes.map(deletePassFilter)
        // The lanes are deleted last: their aliases hold the settings to restore.
        if !needs.mtu { operations += restoreMTU(remaining) }
        if !needs.settings { operations += restoreSettings(remaining) }
        if !needs.hook { operations += removeHook(remaining) }
        return operations + lanes.flatMap(drainAndDelete)
    }

    private func deletePassFilter(_ pass: ReturnPass) -> PlanStep {
        .kernel(.deletePassFilter(device: state.link.name, pass: pass))
    }

    /// The steps that drain a lane and delete it. Its filter has been deleted or redirects elsewhere by then.
    private func drainAndDelete(_ lane: LaneState) -> [PlanStep] {
        guard !lane.isAtRoot else { return drainAndDeleteRoot(lane) }
        let device = lane.name.description
        let drain = lane.lane.map { PlanStep.drain(.ifb(device), atMost: min($0.longestStay, Self.longestDrain)) }
        return [drain].compactMap(\.self) + [.kernel(.deleteDevice(device))]
    }

    /// The longest time to wait for a lane to drain.
    static let longestDrain = Duration.seconds(10)

    /// The step that restores the MTU. It precedes the deletion of the last lane whose alias holds the previous MTU:
    /// the process may be killed in between.
    private func restoreMTU(_ remaining: [RuleState]) -> [PlanStep] {
        let remembered = isRemembered ? originals.previousMTU : nil
        guard let previous = leaving(remaining).compactMap(\.alias.previousMTU).first ?? remembered,
            !remaining.flatMap(\.lanes).contains(where: { $0.alias.previousMTU != nil }),
            state.link.mtu == Self.loopbackMTU
        else { return [] }
        return [.kernel(.setMTU(state.link.name, previous, previous: state.link.mtu))]
    }

    private func restoreSettings(_ remaining: [RuleState]) -> [PlanStep] {
        let remembered = isRemembered ? originals.previousSettings : nil
        guard let previous = leaving(remaining).compactMap(\.alias.previousSettings).first ?? remembered,
            !remaining.contains(where: \.isPumped), let present = state.settings, present != previous,
            present.isBetween(previous, and: .admitting)
        else { return [] }
        return [.setLoopback(state.link.name, previous, previous: present)]
    }

    private func removeHook(_ remaining: [RuleState]) -> [PlanStep] {
        let isOurs = leaving(remaining).contains(where: \.alias.madeHook) || originals.madeHook && isRemembered
        return isOurs && state.hook != .none && remaining.isEmpty ? [.kernel(.deleteHook(state.link.name))] : []
    }

    /// Whether to trust the journal: the kernel has filters whose lanes are gone, or a change was interrupted and its
    /// lanes are gone.
    private var isRemembered: Bool { state.hasDangling || originals.isCutOff && state.rules.isEmpty }

    private func leaving(_ remaining: [RuleState]) -> [LaneState] {
        state.rules.filter { rule in !remaining.contains(rule) }.flatMap(\.lanes) + state.orphans
    }
}
