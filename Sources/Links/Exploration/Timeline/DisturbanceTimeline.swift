// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// What goes wrong during one run, and when.
package struct DisturbanceTimeline: Hashable, Sendable {
    /// The label of the last step where everything is as at the start from then on: expectations may refer to it.
    package static let restored = "restored"

    /// The conditions where nothing goes wrong.
    package var base: Profile
    /// The disturbances, in the order of their starts.
    package private(set) var disturbances: [Disturbance]

    /// Makes a timeline.
    package init(_ base: Profile, _ disturbances: [Disturbance]) {
        self.base = base
        // The order of those that begin together decides which figures hold, and stays.
        self.disturbances = disturbances.enumerated()
            .sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }.map(\.element)
    }

    /// The kinds of what goes wrong, each once, in their order.
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

    /// The timeline with another disturbance at the index.
    func replacing(_ index: Int, _ change: (inout Disturbance) -> Void) -> DisturbanceTimeline {
        var all = disturbances
        change(&all[index])
        return DisturbanceTimeline(base, all)
    }

    /// A moment at which something begins or ends.
    struct Moment {
        var time: Duration
        var conditions: Profile
        var changes = NetworkChanges()
        /// The disturbances that start then; empty if something only ends.
        var begins: [Disturbance] = []
        var ends: [Disturbance] = []
        /// Whether everything is as at the start from then on.
        var isRestored = false
    }

    /// The conditions at the start, and the moments after it, in their order.
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
    /// Whether it is in effect from the time on.
    fileprivate func holds(at time: Duration) -> Bool {
        !isMomentary && start <= time && (end.map { time < $0 } ?? true)
    }
}
