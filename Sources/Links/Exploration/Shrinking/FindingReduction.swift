// SPDX-License-Identifier: Apache-2.0

/// A finding, and the runs that make it smaller.
struct FindingReduction {
    private(set) var finding: TimelineFinding
    /// The runs of the timeline that was drawn.
    let origin: TimelineEvaluation
    private var shrinker: TimelineShrinker
    /// The smaller timelines of which some runs have ended.
    private var smaller: [DisturbanceTimeline: TimelineEvaluation] = [:]

    init(_ origin: TimelineEvaluation, shortestTime: Duration) {
        (self.origin, finding) = (origin, TimelineFinding(origin))
        shrinker = TimelineShrinker(origin.timeline, shortestTime: shortestTime)
    }

    /// The runs that decide about the first smaller timelines, at most so many.
    mutating func next(_ maximum: Int) -> [TimelineRun] {
        let runs = shrinker.next(maximum).flatMap { timeline in
            evaluation(timeline).neededAttempts.map { TimelineRun(timeline, attempt: $0) }
        }
        return Array(runs.prefix(maximum))
    }

    mutating func record(_ outcome: TimelineRun.Outcome, of run: TimelineRun) {
        var evaluation = evaluation(run.timeline)
        evaluation.record(outcome, run.attempt)
        smaller[run.timeline] = evaluation
    }

    private func evaluation(_ timeline: DisturbanceTimeline) -> TimelineEvaluation {
        var evaluation = smaller[timeline] ?? TimelineEvaluation(timeline, origin.share)
        // A smaller one that fails in another way is another finding.
        evaluation.checks = finding.checks
        return evaluation
    }

    /// Goes on with the first smaller timeline that fails, once all before it are known not to, until the next is not decided.
    ///
    /// - Parameter limit: it stops once so many runs were needed; nil for no limit.
    /// - Returns: the runs that were needed: the same number, whatever runs at the same time.
    mutating func advance(_ limit: Int?) -> Int {
        var runs = 0
        while let timeline = shrinker.next(1).first {
            let evaluation = evaluation(timeline)
            guard runs < limit ?? .max, let fails = evaluation.fails else { return runs }
            runs += evaluation.decisiveRuns
            if fails {
                shrinker.accept(timeline)
                finding = TimelineFinding(evaluation)
            } else {
                shrinker.refuse(timeline)
            }
        }
        finding.isMinimal = true
        return runs
    }
}
