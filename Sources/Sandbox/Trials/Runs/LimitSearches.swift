// SPDX-License-Identifier: Apache-2.0

package import LinkProfiles

/// Searches the limits of several figures, one after the other, while all other figures are as in the profile.
package struct LimitSearches {
    /// The searches that have ended.
    package private(set) var ended: [LimitSearch] = []
    private let ranges: [FigureRange]

    /// The state of the search for one of the limits.
    package struct State {
        /// The searches that ended before the current one.
        package let ended: [LimitSearch]
        package let current: LimitSearch
        /// The time that all searches will probably still take, or may take at most.
        package let rest: Duration
        /// Whether `rest` is estimated from the runs so far, and not only from the budget.
        package let isEstimated: Bool
    }

    package init(_ ranges: [FigureRange]) { self.ranges = ranges }

    /// Searches until a signal comes or the budget ends, which the figures share equally.
    ///
    /// - Parameters:
    ///   - makeTrial: makes a trial from a figure's range, the share of it (0 is mildest, 1 harshest), the seed and the
    ///     time left.
    ///   - observe: called several times a second.
    package mutating func run(
        _ runner: TrialRunner,
        jobs: Int,
        seed: UInt64,
        budget: Duration,
        makeTrial: (_ range: FigureRange, _ share: Double, _ seed: UInt64, _ left: Duration) throws -> Trial,
        observe: (State) -> Void
    ) throws {
        var seed = seed
        let start = ContinuousClock.now
        for (index, range) in ranges.enumerated() {
            var search = LimitSearch(range)
            let begin = ContinuousClock.now
            let left = budget - start.duration(to: begin)
            let figures = ranges.count - index
            try search.run(runner, jobs: jobs, seed: &seed, budget: left / figures) {
                try makeTrial(range, $0, $1, $2)
            } observe: { current in
                // The remaining figures are assumed to take as long as this one.
                let expected = current.expectedDuration.map { $0 * figures } ?? left
                observe(
                    State(
                        ended: ended,
                        current: current,
                        rest: max(min(expected, left) - begin.duration(to: .now), .zero),
                        isEstimated: current.expectedDuration != nil
                    )
                )
            }
            if runner.interruption != nil { return }
            ended.append(search)
        }
    }
}
