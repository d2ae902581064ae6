// SPDX-License-Identifier: Apache-2.0

/// A search for the limit of a client: the position between a mild and a harsh link at which half of its runs survive.
///
/// A bisection with noisy answers. Its interval contains the limit with the stated confidence for any client, as long
/// as a harsher link lets no more runs survive, and whenever the search stops. For each position, a wager against the
/// hypothesis "fewer than half survive from here on" is made before each run there or beyond. If the hypothesis were
/// true, the wager could not win on average, so it would multiply its stake by 40 with a probability of at most 1/40
/// (Ville's inequality). A hypothesis whose wager has multiplied its stake by 40 is refuted.
package struct SurvivalSearch: Sendable {
    /// The positions, from the mildest link to the harshest.
    static let positions = 0...100

    /// Counts of surviving and failed runs at one position.
    struct Counts {
        var survived = 0
        var runs = 0
    }

    private(set) var counts = [Counts](repeating: Counts(), count: positions.count)
    /// By position, the factor by which its runs changed the stakes of the wagers: against "fewer than half survive",
    /// and against "more than half survive".
    private var survivalWagers = [Double](repeating: 1, count: positions.count)
    private var failureWagers = [Double](repeating: 1, count: positions.count)
    private var model = SurvivalModel()

    /// The factor that a wager must reach, for each end of a 95 % interval.
    private static let proof = 40.0
    /// The greatest probability that is wagered on: even a client that always survives may fail once.
    private static let boldest = 0.95
    /// The expected share of survivors, or of failures, at the positions to try.
    private static let telling = 0.75

    package init() {}

    /// The harshest position at which at least half of the runs are known to survive; nil if there is none.
    package var lower: Int? { bound(by: survivalWagers, in: Array(Self.positions)) }

    /// The mildest position at which at most half of the runs are known to survive; nil if there is none.
    package var upper: Int? { bound(by: failureWagers, in: Self.positions.reversed()) }

    /// The last of `positions` at which the runs there and beyond refute the hypothesis of `wagers`.
    private func bound(by wagers: [Double], in positions: [Int]) -> Int? {
        var product = wagers.reduce(1, *)
        var bound: Int?
        for position in positions {
            guard product >= Self.proof else { break }
            if counts[position].runs > 0 { bound = position }
            product /= wagers[position]
        }
        return bound
    }

    /// The most likely position of the limit.
    package var estimate: Int {
        min(max(model.firstPosition(below: 0.5), lower ?? 0), upper ?? 100)
    }

    /// The number of positions in the interval that contains the limit.
    package var width: Int { (upper ?? 100) - (lower ?? 0) }

    /// Whether the limit is known to `precision` positions, or lies outside the range.
    package func isDone(precision: Int) -> Bool {
        if lower == Self.positions.upperBound || upper == Self.positions.lowerBound { return true }
        return lower != nil && upper != nil && width <= precision
    }

    /// The position to try next, at which most runs are expected to survive, or to fail: the one that narrows the wider
    /// side of the interval.
    package var next: Int {
        let middle = estimate
        // A side without a bound counts as 20 positions wider, and so usually comes first.
        if middle - (lower ?? -20) >= (upper ?? 120) - middle {
            return max(model.firstPosition(below: Self.telling) - 1, Self.positions.lowerBound)
        }
        return min(model.firstPosition(below: 1 - Self.telling), Self.positions.upperBound)
    }

    /// The number of further runs that the search needs if all survive up to the present estimate, and none beyond. A
    /// client that changes gradually needs more.
    package func expectedRuns(precision: Int, limit: Int = 200) -> Int {
        var search = self
        let estimate = estimate
        for count in 0..<limit {
            if search.isDone(precision: precision) { return count }
            let position = search.next
            search.add(position < estimate, at: position)
        }
        return limit
    }

    /// Adds the outcome of a run. Runs are added in the order of their starts.
    package mutating func add(_ survived: Bool, at position: Int) {
        let expected = model.survival(at: position)
        // A wager never bets against the belief.
        let survival = min(max(expected, 0.5), Self.boldest)
        let failure = min(max(1 - expected, 0.5), Self.boldest)
        survivalWagers[position] *= 2 * (survived ? survival : 1 - survival)
        failureWagers[position] *= 2 * (survived ? 1 - failure : failure)
        model.learn(survived, at: position)
        counts[position].runs += 1
        if survived { counts[position].survived += 1 }
    }
}
