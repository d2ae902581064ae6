// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// The smaller timelines that are left to try for a failing one.
///
/// A smaller one that fails takes its place, and the search begins anew; one that does not fail is not tried again. When
/// nothing is left, each smaller timeline was tried: the last is locally minimal.
package struct TimelineShrinker: Sendable {
    /// The smallest timeline that is known to fail.
    package private(set) var current: DisturbanceTimeline
    /// The smaller ones that were not tried, the greatest steps first. Some contradict themselves.
    private var rest: [DisturbanceTimeline] = []
    private var refused: Set<DisturbanceTimeline> = []
    /// Times below this are not made shorter, since the next run would not notice.
    private let shortestTime: Duration

    /// Begins with a timeline that fails.
    package init(_ failing: DisturbanceTimeline, shortestTime: Duration) {
        (current, self.shortestTime) = (failing, shortestTime)
        accept(failing)
    }

    /// The next smaller timelines to try, at most `count`; none if the current one is locally minimal.
    package mutating func next(_ count: Int) -> ArraySlice<DisturbanceTimeline> {
        var valid = 0
        while valid < min(count, rest.count) {
            if rest[valid].problem == nil { valid += 1 } else { rest.remove(at: valid) }
        }
        return rest.prefix(count)
    }

    /// Goes on with a smaller timeline, which fails.
    package mutating func accept(_ smaller: DisturbanceTimeline) {
        current = smaller
        var known = refused
        rest = current.reductions(shortestTime: shortestTime).filter { known.insert($0).inserted }
    }

    /// Goes on without a timeline, which does not fail.
    package mutating func refuse(_ timeline: DisturbanceTimeline) {
        refused.insert(timeline)
        rest.removeAll { $0 == timeline }
    }
}
