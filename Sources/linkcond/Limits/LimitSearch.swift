// SPDX-License-Identifier: Apache-2.0

import ClientObservation
import Glibc
import LinkProfiles
import Reports

/// The search for the worst value of one figure that a client survives.
struct LimitSearch {
    /// One run of it.
    struct Attempt {
        let place: Int
        let seed: UInt64
        /// Whether the client survived; nil without an answer.
        let survived: Bool?
    }

    /// Why it stopped.
    enum Stop {
        case found
        case outOfTime
        /// Too many runs have no answer.
        case inconclusive
    }

    let range: FigureRange
    private(set) var search = SurvivalSearch()
    private(set) var attempts: [Attempt] = []
    private(set) var duration = Duration.zero
    private(set) var stop = Stop.outOfTime
    /// How long it takes in all, as far as its runs tell; nil before the first has ended.
    private(set) var expectedDuration: Duration?

    /// The number of places, of a hundred, to which the limit is looked for.
    private static let precision = 5
    /// From this number of runs on, the search gives up if most have no answer.
    private static let patience = 10

    init(_ range: FigureRange) { self.range = range }

    /// Makes the runs of the search.
    ///
    /// - Parameters:
    ///   - makeTrial: makes a trial of the varied values, the seed and the time that is left.
    ///   - observe: is called several times a second.
    mutating func run(
        _ runner: TrialRunner,
        jobs: Int,
        seed: inout UInt64,
        budget: Duration,
        makeTrial: (_ place: Int, _ seed: UInt64, _ left: Duration) -> Trial,
        observe: (LimitSearch) -> Void
    ) throws {
        let start = ContinuousClock.now
        while runner.interruption == nil {
            duration = start.duration(to: .now)
            if search.isDone(precision: Self.precision) { return stop = .found }
            let unanswered = attempts.count { $0.survived == nil }
            if attempts.count >= Self.patience, unanswered * 2 > attempts.count { return stop = .inconclusive }
            let left = budget - duration
            guard left >= .milliseconds(100) else { return }
            if !attempts.isEmpty {
                let batches = (search.expectedRuns(precision: Self.precision) + jobs - 1) / jobs
                expectedDuration = min(duration + duration * jobs / attempts.count * batches, budget)
            }
            let place = search.next
            var batch: [(seed: UInt64, trial: Trial)] = []
            for _ in 0..<jobs {
                batch.append((seed, makeTrial(place, seed, left)))
                seed &+= 1
            }
            let results = runner.run(batch.map(\.trial)) { _ in observe(self) }
            for (each, result) in zip(batch, results) {
                guard let result else { return }
                try Self.check(result)
                let isCut = result.report?.outcome == .timedOut && start.duration(to: .now) >= budget
                let isUnknown = isCut || result.report?.verdict == .inconclusive && result.status == 0
                let survived = isUnknown ? nil : result.status == 0 && result.report?.verdict != .fail
                if let survived { search.add(survived, at: place) }
                attempts.append(Attempt(place: place, seed: each.seed, survived: survived))
            }
        }
    }

    /// A command that cannot be run at all says nothing of the link.
    private static func check(_ result: TrialResult) throws {
        if let failure = result.failure { throw Failure(.unavailable, failure) }
        if case .notStarted? = result.report?.outcome {
            throw Failure(
                .notFound,
                result.lastLines.last.map { $0.replacing("linkcond: ", with: "") } ?? "cannot run it"
            )
        }
    }

    /// The value at a place.
    func value(at place: Int) -> String { range.value(at: Double(place) / 100) }

    /// The worst link is survived.
    var survivesEverything: Bool { search.lower == SurvivalSearch.places.upperBound }
    /// Not even the mildest link is survived.
    var survivesNothing: Bool { search.upper == SurvivalSearch.places.lowerBound }
}
