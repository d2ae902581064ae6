// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// The smaller timelines that remain to be tried, starting from a failing timeline.
///
/// A smaller timeline that fails becomes the current one, whose reductions are tried next; one that does not fail is
/// never tried again. When none is left, the current timeline is locally minimal.
package struct TimelineShrinker: Sendable {
    /// The smallest timeline that is known to fail.
    package private(set) var current: DisturbanceTimeline
    /// The reductions of `current` that were not tried, the largest first. Some are not valid timelines.
    private var rest: [DisturbanceTimeline] = []
    private var refused: Set<DisturbanceTimeline> = []
    /// The limit below which times are not shortened, since that makes no difference to a run.
    private let shortestTime: Duration

    /// Starts with a timeline that fails.
    package init(_ failing: DisturbanceTimeline, shortestTime: Duration) {
        (current, self.shortestTime) = (failing, shortestTime)
        accept(failing)
    }

    /// Returns the next smaller timelines to try, at most `count`; none if `current` is locally minimal. Discards
    /// invalid ones.
    package mutating func next(_ count: Int) -> ArraySlice<DisturbanceTimeline> {
        var valid = 0
        while valid < min(count, rest.count) {
            if rest[valid].problem == nil { valid += 1 } else { rest.remove(at: valid) }
        }
        return rest.prefix(count)
    }

    /// Makes a smaller timeline, which fails, the current one.
    package mutating func accept(_ smaller: DisturbanceTimeline) {
        current = smaller
        var known = refused
        rest = current.reductions(shortestTime: shortestTime).filter { known.insert($0).inserted }
    }

    /// Excludes a timeline, which does not fail.
    package mutating func refuse(_ timeline: DisturbanceTimeline) {
        refused.insert(timeline)
        rest.removeAll { $0 == timeline }
    }
}
