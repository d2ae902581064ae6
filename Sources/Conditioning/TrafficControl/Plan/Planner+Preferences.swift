// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import Netlink

/// The order of rules, and the preferences of their filters.
///
/// A rule has `preferencesPerRule` consecutive preferences. The kernel evaluates filters in ascending order of
/// preference, so a more specific rule gets lower preferences; of equally specific rules, the newer one does. A new
/// rule uses a gap between the others; if there is none, the others move.
extension Planner {
    /// The preferences of a rule's filters, and the steps that make room for them.
    struct Placement {
        /// The first of the rule's preferences.
        let first: Int
        /// The steps before the rule's filters are added. No step changes the order of the rules.
        var build: [PlanStep] = []
        /// The steps after the rule's filters have been added.
        var teardown: [PlanStep] = []
        /// The filters for packets that return from TAP devices, between `build` and `teardown`.
        var passes: [ReturnPass]
        /// The lowest preference of a filter that redirects.
        var lowest: Int

        func preference(of kind: Lane) -> UInt16 { UInt16(clamping: first + Int(kind.order)) }
    }

    /// The preferences that rules may have: above the ones that the kernel assigns, or just below the foreign filters'.
    private var room: Range<Int> {
        let first = Int(Self.firstPreference)
        let size = capacity * Self.preferencesPerRule
        return firstForeignPreference >= first + size
            ? first..<(first + size) : (firstForeignPreference - size)..<firstForeignPreference
    }

    /// The number of rules for which there is room ahead of the foreign filters: each needs `preferencesPerRule`
    /// filters and one for returning packets.
    var capacity: Int {
        let room = firstForeignPreference - 1
        // A single rule may do without a filter for returning packets.
        let ahead = max(room / (Self.preferencesPerRule + 1), room >= Self.preferencesPerRule ? 1 : 0)
        return min(Self.maximumRules, ahead)
    }

    private var firstForeignPreference: Int { state.foreign.compactMap(\.preference).min().map(Int.init) ?? .max }

    private var noRoom: ConditioningError {
        tooMuch("\(state.link.name) has no room for more than \(counted(capacity, "rule"))")
    }

    /// The number of a new rule.
    func freeNumber() throws(ConditioningError) -> Int {
        let next = (state.rules.map(\.number).max() ?? 0) + 1
        if next <= Self.maximumRules { return next }
        let taken = Set(state.rules.map(\.number) + state.orphans.map(\.name.rule))
        guard let free = (1...Self.maximumRules).first(where: { !taken.contains($0) }) else { throw noRoom }
        return free
    }

    /// Chooses the preferences of a rule. The rule that replaces `old` keeps old preferences, unless a foreign filter
    /// now precedes them; otherwise it gets preferences between the more specific rules and the others.
    ///
    /// - Throws: `tooMuch` if there is no room ahead of the foreign filters.
    func placement(of selection: Selection, replacing old: RuleState?) throws(ConditioningError) -> Placement {
        let others = state.rules.filter { $0.number != old?.number }
        if let first = old?.firstPreference, first + Self.preferencesPerRule <= firstForeignPreference {
            return try complete(Placement(first: first, passes: state.passes, lowest: first), others)
        }
        let specificity = selection.specificity
        let index =
            state.rules.firstIndex { old == nil ? $0.selection.specificity <= specificity : $0.number == old?.number }
            ?? others.count
        // Rules that a foreign filter precedes may stay there.
        let after = others[index...].filter { $0.firstPreference + Self.preferencesPerRule <= firstForeignPreference }
        let low = others[..<index].last.map { $0.firstPreference + Self.preferencesPerRule } ?? room.lowerBound
        let high = min(after.first?.firstPreference ?? room.upperBound, room.upperBound)
        let free = (high - low) / Self.preferencesPerRule
        guard free <= 0 else {
            // A rule without criteria is the least specific, so it leaves no gap after it. Other rules get gaps on both
            // sides, a longer one before them: for later rules that are as specific.
            let gap = specificity.kinds == 0 ? free - 1 : (free - 1) * 3 / 4
            let first = low + gap * Self.preferencesPerRule
            return try complete(Placement(first: first, passes: state.passes, lowest: first), others)
        }
        return try spread(others[..<index] + after, around: index)
    }

    /// Moves `rules` so that there are gaps between them, and one for a new rule before the rule at `index`.
    private func spread(_ rules: [RuleState], around index: Int) throws(ConditioningError) -> Placement {
        let count = rules.count + 1
        guard count <= capacity else { throw noRoom }
        var firsts = (0..<count).map { number in
            room.lowerBound + (2 * number + 1) * capacity / (2 * count) * Self.preferencesPerRule
        }
        let first = firsts.remove(at: index)
        let moves = Array(zip(rules, firsts))
        // In this order, no filter moves past another, and the preferences to which each rule moves are free.
        let forward = moves.filter { $0.0.firstPreference > $0.1 }
        let backward = moves.filter { $0.0.firstPreference < $0.1 }.reversed()
        var placement = Placement(first: first, passes: state.passes, lowest: min(first, firsts.first ?? first))
        placement.build = (forward + backward).flatMap(move)
        return try complete(placement, [])
    }

    private func move(_ rule: RuleState, to first: Int) -> [PlanStep] {
        let filters = rule.lanes.compactMap { lane in lane.filter.map { (lane.name.kind.order, $0) } }
            .sorted { $0.0 < $1.0 }
        // The DNS filter precedes the uplink's filter throughout.
        return (first < rule.firstPreference ? filters : filters.reversed()).flatMap { order, filter -> [PlanStep] in
            var moved = filter
            moved.preference = UInt16(clamping: first + Int(order))
            return [.kernel(.addFilter(moved)), .kernel(.deleteFilter(filter))]
        }
    }

    /// Completes `placement` with the steps that move the filters for returning packets ahead of all filters that
    /// redirect.
    private func complete(_ placement: Placement, _ staying: [RuleState]) throws(ConditioningError) -> Placement {
        var placement = placement
        placement.lowest = min(placement.lowest, staying.map(\.firstPreference).min() ?? .max)
        for pass in state.passes where pass.preference >= placement.lowest {
            let lane = state.rules.first { $0.number == pass.rule }?.lanes.first { $0.isPumped && $0.leaves }
            guard let lane else { continue }
            let moved = try self.pass(rule: pass.rule, placement)
            placement.passes.append(moved)
            let device = state.link.name
            placement.build.insert(
                .kernel(.addPassFilter(device: device, tap: lane.name.description, pass: moved)),
                at: 0
            )
            placement.teardown.append(.kernel(.deletePassFilter(device: device, pass: pass)))
        }
        return placement
    }

    /// The filter that passes returning outgoing packets, ahead of all filters that redirect.
    func pass(rule: Int, _ placement: Placement) throws(ConditioningError) -> ReturnPass {
        let taken = Set(placement.passes.map(\.preference))
        let preferences = stride(from: min(placement.lowest, room.lowerBound) - 1, to: 0, by: -1)
        guard let preference = preferences.first(where: { !taken.contains(UInt16($0)) }) else {
            throw unsupported(
                "\(state.link.name) has classifiers of other programs that the filter for returning packets cannot precede"
            )
        }
        return ReturnPass(preference: UInt16(preference), rule: rule)
    }

    /// The pass for a rule whose preferences do not change.
    func pass(rule: Int) throws(ConditioningError) -> ReturnPass {
        let lowest = state.rules.map(\.firstPreference).min() ?? room.lowerBound
        return try pass(rule: rule, Placement(first: lowest, passes: state.passes, lowest: lowest))
    }
}
