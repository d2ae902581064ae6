// SPDX-License-Identifier: Apache-2.0

/// The search for the smallest timeline under which a client fails: draws timelines, confirms the first that fails, and
/// makes it smaller.
///
/// It makes no runs: it says which are next, and is told what came out. Its course follows from the seed and the outcomes,
/// whatever the number of runs at the same time.
package struct TimelineSearch: Sendable {
    /// Why it has ended.
    package enum Stop: String, Sendable {
        /// A timeline fails, and none that is smaller.
        case shrunk
        case outOfRuns = "out of runs"
        /// The caller has ended it.
        case ended
    }

    /// A timeline that fails.
    package struct Finding: Hashable, Sendable {
        package var timeline: Timeline
        /// The attempts that failed.
        package var attempts: [Int]
        /// How many attempts ended.
        package var runs: Int
        /// What failed: expectations, and the exit status.
        package var checks: Set<String>
    }

    /// How the runs of a kind came out, of timelines that were drawn.
    package struct Counts: Hashable, Sendable {
        package var runs = 0
        package var failed = 0
        package var inconclusive = 0
    }

    private let generator: TimelineGenerator
    private let share: FailureShare
    private let mostRuns: Int
    private let shortestTime: Duration

    /// The timelines that were drawn and are not decided, in their order.
    private var drawn: [TimelineEvaluation] = []
    private var nextNumber = 0
    private var shrinker: TimelineShrinker?
    /// The smaller timelines of which some runs have ended.
    private var smaller: [Timeline: TimelineEvaluation] = [:]

    /// The smallest timeline that fails, so far; nil if none is known.
    package private(set) var finding: Finding?
    /// The timelines of which runs failed, but too few.
    package private(set) var unconfirmed: [Finding] = []
    /// The runs that have ended, by the kinds of their timelines; of those that were drawn the first run only.
    package private(set) var counts: [DisturbanceKind: Counts] = [:]
    /// The runs of all timelines that have ended.
    package private(set) var runs = 0
    package private(set) var inconclusive = 0
    /// The timelines that were drawn, of which a run has ended.
    package private(set) var drawnCount = 0
    package private(set) var stop: Stop?

    /// Prepares a search.
    ///
    /// - Parameters:
    ///   - share: how many runs of a timeline must fail.
    ///   - mostRuns: it never asks for more.
    ///   - shortestTime: times are not made shorter than this.
    package init(
        _ generator: TimelineGenerator,
        share: FailureShare,
        mostRuns: Int,
        shortestTime: Duration = .milliseconds(50)
    ) {
        (self.generator, self.share, self.mostRuns) = (generator, share, mostRuns)
        self.shortestTime = shortestTime
        if generator.kinds.isEmpty || mostRuns < 1 { stop = .outOfRuns }
    }

    /// The timelines that are tried for a smaller one are those of a failing one.
    package var isShrinking: Bool { shrinker != nil }

    /// Ends it: what was found so far stays.
    package mutating func end() { stop = stop ?? .ended }

    /// The runs to make now, at most `count`; none when it has ended.
    package mutating func next(_ count: Int) -> [TimelineRun] {
        guard stop == nil else { return [] }
        let most = min(count, mostRuns - runs)
        guard most > 0 else {
            stop = .outOfRuns
            return []
        }
        return isShrinking ? runsOfSmaller(most) : runsOfDrawn(most)
    }

    /// Those of timelines that are drawn: of the first that failed once, or else the first of each.
    private mutating func runsOfDrawn(_ most: Int) -> [TimelineRun] {
        if let suspect = drawn.first(where: { !$0.failedAttempts.isEmpty }) {
            return suspect.neededAttempts.prefix(most).map { TimelineRun(suspect.timeline, attempt: $0) }
        }
        while drawn.count < most {
            drawn.append(TimelineEvaluation(generator.timeline(nextNumber), share))
            nextNumber += 1
        }
        return drawn.filter { $0.outcomes[0] == nil }.prefix(most).map { TimelineRun($0.timeline, attempt: 0) }
    }

    /// Those that decide about the first smaller timelines.
    private mutating func runsOfSmaller(_ most: Int) -> [TimelineRun] {
        let runs = (shrinker?.next(most) ?? []).flatMap { timeline in
            (smaller[timeline] ?? evaluation(timeline)).neededAttempts.map { TimelineRun(timeline, attempt: $0) }
        }
        return Array(runs.prefix(most))
    }

    private func evaluation(_ timeline: Timeline) -> TimelineEvaluation {
        TimelineEvaluation(timeline, share, failing: finding?.checks)
    }

    /// Goes on with what came out of runs that `next` asked for; those that did not end are left out.
    package mutating func record(_ results: [(run: TimelineRun, outcome: TimelineRun.Outcome)]) {
        for (run, outcome) in results {
            runs += 1
            if outcome == .inconclusive { inconclusive += 1 }
            if isShrinking {
                var evaluation = smaller[run.timeline] ?? evaluation(run.timeline)
                evaluation.record(outcome, run.attempt)
                smaller[run.timeline] = evaluation
            } else if let index = drawn.firstIndex(where: {
                $0.timeline == run.timeline && $0.outcomes[run.attempt] == nil
            }) {
                drawn[index].record(outcome, run.attempt)
                if run.attempt == 0 { count(outcome, run.timeline) }
            }
        }
        if isShrinking { shrink() } else { decide() }
        if stop == nil, runs >= mostRuns { stop = .outOfRuns }
    }

    private mutating func count(_ outcome: TimelineRun.Outcome, _ timeline: Timeline) {
        drawnCount += 1
        for kind in timeline.kinds {
            counts[kind, default: Counts()].runs += 1
            switch outcome {
            case .passed: break
            case .failed: counts[kind, default: Counts()].failed += 1
            case .inconclusive: counts[kind, default: Counts()].inconclusive += 1
            }
        }
    }

    /// Leaves timelines that do not fail, up to one that has to be confirmed; begins to shrink one that fails.
    private mutating func decide() {
        while let first = drawn.first, first.outcomes[0] != nil {
            switch first.fails {
            case nil where !first.failedAttempts.isEmpty: return
            case true?:
                finding = Finding(first)
                shrinker = TimelineShrinker(first.timeline, shortestTime: shortestTime)
                drawn = []
                return shrink()
            default:
                if !first.failedAttempts.isEmpty { unconfirmed.append(Finding(first)) }
                drawn.removeFirst()
            }
        }
    }

    /// Goes on with the first smaller timeline that fails, once all before it are known not to.
    private mutating func shrink() {
        while let timeline = shrinker?.next(1).first {
            guard let evaluation = smaller[timeline], let fails = evaluation.fails else { return }
            if fails {
                shrinker?.accept(timeline)
                finding = Finding(evaluation)
            } else {
                shrinker?.refuse(timeline)
            }
        }
        stop = stop ?? .shrunk
    }
}

extension TimelineSearch.Finding {
    fileprivate init(_ evaluation: TimelineEvaluation) {
        self.init(
            timeline: evaluation.timeline,
            attempts: evaluation.failedAttempts,
            runs: evaluation.outcomes.count { $0 != nil },
            checks: evaluation.failedChecks
        )
    }
}
