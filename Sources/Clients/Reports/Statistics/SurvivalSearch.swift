// SPDX-License-Identifier: Apache-2.0

/// A search for the limit of a client: the position on a link's way from mild to harsh at which half of its runs survive.
///
/// A bisection whose answers are noisy. Its interval holds the limit with the stated confidence whatever the client is
/// like, as long as a harsher link lets no more runs survive, and whenever the search stops. For each position, a wager
/// against "fewer than half survive from here on" is made before each run there or beyond; if that were so, the wager
/// could not win on average, so it multiplies its stake by 40 with a probability of 1/40 at most (Ville's inequality).
/// What it does multiply that much is refuted.
package struct SurvivalSearch: Sendable {
    /// The positions, from the mildest link to the harshest.
    static let positions = 0...100

    /// Counts of surviving and failed runs at one position.
    struct Counts {
        var survived = 0
        var runs = 0
    }

    private(set) var counts = [Counts](repeating: Counts(), count: positions.count)
    /// The factor by which each wager against less, and against more, changed its stake, by position.
    private var survivalWagers = [Double](repeating: 1, count: positions.count)
    private var failureWagers = [Double](repeating: 1, count: positions.count)
    private var model = SurvivalModel()

    /// The factor that a wager must reach, for each end of an interval of 95 %.
    private static let proof = 40.0
    /// The share up to which is wagered: even a client that always survives may fail once.
    private static let boldest = 0.95
    /// The share of survivors at the positions that are tried.
    private static let telling = 0.75

    package init() {}

    /// The harshest position that is known to be survived by half of the runs; nil if none is.
    package var lower: Int? { bound(by: survivalWagers, in: Array(Self.positions)) }

    /// The mildest position that is known to be survived by no more than half of the runs; nil if none is.
    package var upper: Int? { bound(by: failureWagers, in: Self.positions.reversed()) }

    /// The last of the positions at which, and beyond which, runs refute what is wagered against.
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

    /// The position that the limit is likeliest to be at.
    package var estimate: Int {
        min(max(model.firstPosition(below: 0.5), lower ?? 0), upper ?? 100)
    }

    /// The number of positions between which the limit is known to be.
    package var width: Int { (upper ?? 100) - (lower ?? 0) }

    /// Whether the limit is known to `precision` positions, or to lie outside.
    package func isDone(precision: Int) -> Bool {
        if lower == Self.positions.upperBound || upper == Self.positions.lowerBound { return true }
        return lower != nil && upper != nil && width <= precision
    }

    /// The position to try next: where most runs survive, or where most fail, whichever narrows the wider side.
    package var next: Int {
        let middle = estimate
        // A side without a bound comes first.
        if middle - (lower ?? -20) >= (upper ?? 120) - middle {
            return max(model.firstPosition(below: Self.telling) - 1, Self.positions.lowerBound)
        }
        return min(model.firstPosition(below: 1 - Self.telling), Self.positions.upperBound)
    }

    /// The number of runs until the search is done if all survive up to the present estimate, and none beyond. A client
    /// that changes gradually needs more.
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
        // Nothing is wagered against the belief.
        let survival = min(max(expected, 0.5), Self.boldest)
        let failure = min(max(1 - expected, 0.5), Self.boldest)
        survivalWagers[position] *= 2 * (survived ? survival : 1 - survival)
        failureWagers[position] *= 2 * (survived ? 1 - failure : failure)
        model.learn(survived, at: position)
        counts[position].runs += 1
        if survived { counts[position].survived += 1 }
    }
}
