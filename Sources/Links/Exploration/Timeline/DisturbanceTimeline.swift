// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// The disturbances during one run of a client, with their times.
package struct DisturbanceTimeline: Hashable, Sendable {
    /// The label of a last step that ends all disturbances; expectations may refer to it.
    package static let restored = "restored"

    /// The conditions without disturbances.
    package var base: Profile
    /// The disturbances, in the order of their starts.
    package private(set) var disturbances: [Disturbance]

    /// Makes a timeline.
    package init(_ base: Profile, _ disturbances: [Disturbance]) {
        self.base = base
        // Disturbances with the same start keep their order, which decides whose figures apply.
        self.disturbances = disturbances.enumerated()
            .sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }.map(\.element)
    }

    /// The kinds of the disturbances, each once, in the order of `DisturbanceKind`.
    package var kinds: [DisturbanceKind] {
        let own = Set(disturbances.map(\.kind))
        return DisturbanceKind.allCases.filter(own.contains)
    }

    /// The timeline without the disturbance at the index.
    func removing(_ index: Int) -> DisturbanceTimeline {
        var rest = disturbances
        rest.remove(at: index)
        return DisturbanceTimeline(base, rest)
    }

    /// The timeline with the disturbance at the index changed by `change`.
    func replacing(_ index: Int, _ change: (inout Disturbance) -> Void) -> DisturbanceTimeline {
        var all = disturbances
        change(&all[index])
        return DisturbanceTimeline(base, all)
    }

    /// A time at which disturbances start or end.
    struct Moment {
        var time: Duration
        var conditions: Profile
        var changes = NetworkChanges()
        /// The disturbances that start at this time; empty if some only end.
        var begins: [Disturbance] = []
        var ends: [Disturbance] = []
        /// Whether all disturbances have ended, so that the conditions are those of the start from this time on.
        var isRestored = false
    }

    /// The conditions at the start, and the later moments in chronological order.
    var moments: (start: Profile, later: [Moment]) {
        let begins = disturbances.filter { $0.needsStep || $0.start > .zero }.map(\.start)
        let times = Set(begins + disturbances.compactMap(\.end)).sorted()
        var isLinkDown = false
        var moments = times.map { time in
            var moment = Moment(time: time, conditions: conditions(at: time))
            moment.begins = disturbances.filter { $0.start == time && ($0.needsStep || time > .zero) }
            moment.ends = disturbances.filter { $0.end == time }
            let isDown = disturbances.contains { $0.effect == .linkDown && $0.holds(at: time) }
            if isDown != isLinkDown { moment.changes.link = isDown ? .down : .up }
            isLinkDown = isDown
            if moment.begins.contains(where: { $0.effect == .newAddress }) { moment.changes.address = .new }
            if moment.begins.contains(where: { $0.effect == .natRebind }) { moment.changes.nat = .rebind }
            return moment
        }
        let isGood = disturbances.allSatisfy { $0.isMomentary || $0.end != nil }
        if isGood, let last = moments.indices.last { moments[last].isRestored = true }
        return (conditions(at: .zero), moments)
    }

    private func conditions(at time: Duration) -> Profile {
        var profile = base
        for each in disturbances where each.holds(at: time) { each.apply(to: &profile) }
        if profile != base { profile.name = Self.name(disturbances.filter { !$0.needsStep && $0.holds(at: time) }) }
        return profile
    }

    /// A name for the conditions, such as "loss, reset".
    private static func name(_ disturbances: [Disturbance]) -> String {
        var names: [String] = []
        for each in disturbances where !names.contains(each.kind.rawValue) { names.append(each.kind.rawValue) }
        return String(names.joined(separator: ", ").prefix(80))
    }
}

extension Disturbance {
    /// Whether the disturbance is in effect at the given time.
    fileprivate func holds(at time: Duration) -> Bool {
        !isMomentary && start <= time && (end.map { time < $0 } ?? true)
    }
}
