// SPDX-License-Identifier: Apache-2.0

/// A finding, and the runs of smaller timelines that shrink it.
struct FindingReduction {
    private(set) var finding: TimelineFinding
    /// The drawn timeline with its runs, before it was shrunk.
    let origin: TimelineEvaluation
    private var shrinker: TimelineShrinker
    /// The evaluations of smaller timelines of which at least one run has ended.
    private var smaller: [DisturbanceTimeline: TimelineEvaluation] = [:]

    init(_ origin: TimelineEvaluation, shortestTime: Duration) {
        (self.origin, finding) = (origin, TimelineFinding(origin))
        shrinker = TimelineShrinker(origin.timeline, shortestTime: shortestTime)
    }

    /// The runs that are needed to decide about the next smaller timelines, at most `maximum`.
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
        // A smaller timeline under which other checks fail is a different finding.
        evaluation.checks = finding.checks
        return evaluation
    }

    /// Accepts or refuses smaller timelines in order, as long as the runs so far decide about the next one. Sets the
    /// finding to each accepted timeline; marks it as minimal once no smaller timeline is left.
    ///
    /// - Parameter limit: the number of runs after which it stops; nil for no limit.
    /// - Returns: the number of runs that the decisions needed, which does not depend on how many were made at the same
    ///   time.
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
