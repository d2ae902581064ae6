// SPDX-License-Identifier: Apache-2.0

internal import ClientVerdicts
package import LinkProfiles
package import Reports

/// The search for the worst value of one figure that a client survives.
package struct LimitSearch {
    /// A run of the search.
    package struct Attempt {
        package let position: Int
        package let seed: UInt64
        /// Whether the client survived; nil if the run was inconclusive.
        package let survived: Bool?
    }

    /// The reason why the search stopped.
    package enum Stop {
        case found
        case outOfTime
        /// Too many runs were inconclusive.
        case inconclusive
    }

    package let range: FigureRange
    package private(set) var search = SurvivalSearch()
    package private(set) var attempts: [Attempt] = []
    package private(set) var duration = Duration.zero
    package private(set) var stop = Stop.outOfTime
    /// The expected duration of the whole search, from its runs so far; nil before the first has ended.
    package private(set) var expectedDuration: Duration?

    /// The precision with which the limit is searched, in positions, of which the range has a hundred.
    private static let precision = 5
    /// From this number of runs on, the search stops if most are inconclusive.
    private static let unansweredRuns = 10

    package init(_ range: FigureRange) { self.range = range }

    /// Makes the runs of the search.
    ///
    /// - Parameters:
    ///   - makeTrial: makes a trial from the share of the range (0 is mildest, 1 harshest), the seed and the time that
    ///     is left.
    ///   - observe: called several times a second.
    package mutating func run(
        _ runner: TrialRunner,
        jobs: Int,
        seed: inout UInt64,
        budget: Duration,
        makeTrial: (_ share: Double, _ seed: UInt64, _ left: Duration) throws -> Trial,
        observe: (LimitSearch) -> Void
    ) throws {
        let start = ContinuousClock.now
        while runner.interruption == nil {
            duration = start.duration(to: .now)
            if search.isDone(precision: Self.precision) { return stop = .found }
            let unanswered = attempts.count { $0.survived == nil }
            if attempts.count >= Self.unansweredRuns, unanswered * 2 > attempts.count { return stop = .inconclusive }
            let left = budget - duration
            guard left >= .milliseconds(100) else { return }
            if !attempts.isEmpty {
                let batches = (search.expectedRuns(precision: Self.precision) + jobs - 1) / jobs
                expectedDuration = min(duration + duration * jobs / attempts.count * batches, budget)
            }
            let position = search.next
            var batch: [(seed: UInt64, trial: Trial)] = []
            for _ in 0..<jobs {
                batch.append((seed, try makeTrial(SurvivalSearch.share(position), seed, left)))
                seed &+= 1
            }
            let results = runner.run(batch.map(\.trial)) { _ in observe(self) }
            for (each, result) in zip(batch, results) {
                guard let result else { return }
                if result.isUnusable { throw UnusableTrial(result: result) }
                let isCut = result.report?.outcome == .timedOut && start.duration(to: .now) >= budget
                let survived = isCut || result.isUndecided ? nil : result.isSuccess
                if let survived { search.add(survived, at: position) }
                attempts.append(Attempt(position: position, seed: each.seed, survived: survived))
            }
        }
    }

    package func value(at position: Int) -> String { range.value(at: SurvivalSearch.share(position)) }
}

/// The error for a run that shows nothing about the link: linkcond failed, or the command cannot be executed.
package struct UnusableTrial: Error {
    package let result: TrialsReport.Trial

    package init(result: TrialsReport.Trial) { self.result = result }
}

extension TrialsReport.Trial {
    /// Whether the trial shows nothing about the link: linkcond failed, or the command cannot be executed.
    package var isUnusable: Bool {
        if case .notStarted? = report?.outcome { true } else { failure != nil }
    }
}
