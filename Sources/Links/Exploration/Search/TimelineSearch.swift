// SPDX-License-Identifier: Apache-2.0

/// The search for timelines under which a client fails: draws timelines, confirms failures by further runs, and shrinks
/// each failing timeline.
///
/// Drawing and shrinking alternate: a finding that takes many runs to shrink must not keep others from being found. A
/// drawn timeline is not confirmed if earlier findings explain all of its failures: findings whose kinds of
/// disturbances it contains.
///
/// The search does not make the runs: `next` returns the runs to make, and `record` receives their outcomes. The
/// results depend on the seed and the outcomes only, and not on how many runs are made at the same time.
package struct TimelineSearch: Sendable {
    /// The reason why the search has ended.
    package enum Stop: String, Sendable {
        /// The first finding is minimal, and the search stops at the first.
        case shrunk
        case outOfRuns = "out of runs"
        /// The caller has ended the search.
        case ended
    }

    /// The limits of a search.
    package struct Limits: Sendable {
        /// The maximum number of runs, including `runsOfFinding` for each finding.
        package var runs: Int
        /// The number of runs that the caller makes of each finding after the search.
        package var runsOfFinding = 0
        /// Whether the search ends when the first finding is minimal.
        package var stopsAtFirst = false
        /// The limit below which times are not shortened.
        package var shortestTime = Duration.milliseconds(50)

        package init(runs: Int, runsOfFinding: Int = 0, stopsAtFirst: Bool = false) {
            (self.runs, self.runsOfFinding, self.stopsAtFirst) = (runs, runsOfFinding, stopsAtFirst)
        }
    }

    /// The outcomes of the first runs of drawn timelines that contain a kind of disturbance.
    package struct Counts: Hashable, Sendable {
        package var runs = 0
        package var failed = 0
        package var inconclusive = 0
    }

    private let generator: TimelineGenerator
    private let share: FailureShare
    private let limits: Limits

    /// The drawn timelines that are not decided yet, in order of their numbers.
    private var drawn: [TimelineEvaluation] = []
    private var nextNumber = 0
    /// The findings, in the order in which they were confirmed.
    private var reductions: [FindingReduction] = []
    /// The indices in `reductions` of the distinct findings, which no other finding explains.
    private var ownIndices: [Int] = []
    private var isShrinking = false
    /// The number of runs for shrinking less the number for drawing, which decides which of the two is next.
    private var lead = 0
    private var suspects: [TimelineFinding] = []

    /// The value of `lead` at which shrinking gives way to drawing; at 0, drawing gives way to shrinking.
    private static let maximumLead = 10

    /// The outcomes of the first runs of drawn timelines, by kind of disturbance.
    package private(set) var counts: [DisturbanceKind: Counts] = [:]
    /// The number of all runs that have ended.
    package private(set) var runs = 0
    package private(set) var inconclusive = 0
    /// The number of drawn timelines whose first run has ended.
    package private(set) var drawnCount = 0
    package private(set) var stop: Stop?

    /// Prepares a search.
    ///
    /// - Parameter share: the number of a timeline's runs that must fail for a finding.
    package init(_ generator: TimelineGenerator, share: FailureShare, _ limits: Limits) {
        (self.generator, self.share, self.limits) = (generator, share, limits)
        if generator.kinds.isEmpty || limits.runs < 1 { stop = .outOfRuns }
    }

    /// The distinct findings, each as small as the search has made it, in the order in which they were confirmed.
    package var findings: [TimelineFinding] { ownIndices.map { reductions[$0].finding } }

    /// The timelines of which too few runs failed for a finding, and which no finding explains.
    package var unconfirmed: [TimelineFinding] {
        suspects.filter { suspect in !findings.contains { $0.explains(suspect) } }
    }

    /// The finding that is being shrunk; nil while timelines are drawn.
    package var shrinking: TimelineFinding? {
        isShrinking ? unfinished.map { reductions[$0].finding } : nil
    }

    private mutating func findOwn() {
        ownIndices = reductions.indices.filter { index in
            let finding = reductions[index].finding
            return !reductions.indices.contains { other in
                let known = reductions[other].finding
                return other != index && known.explains(finding) && (other < index || !finding.explains(known))
            }
        }
    }

    /// The index of the first distinct finding that is not minimal yet; nil if all are.
    private var unfinished: Int? { ownIndices.first { !reductions[$0].finding.isMinimal } }

    /// Ends the search; the findings so far are kept.
    package mutating func end() { stop = stop ?? .ended }

    /// Returns the runs to make now, at most `count`; none if the search has ended. Ends the search if no runs are
    /// left.
    package mutating func next(_ count: Int) -> [TimelineRun] {
        guard stop == nil else { return [] }
        let maximum = min(count, runsLeft)
        guard maximum > 0 else {
            stop = .outOfRuns
            return []
        }
        if isShrinking, let unfinished { return reductions[unfinished].next(maximum) }
        return runsOfDrawn(maximum)
    }

    /// The number of runs left for the search, less the caller's runs of each finding and of one more finding.
    private var runsLeft: Int { limits.runs - runs - limits.runsOfFinding * (findings.count + 1) }

    /// The runs of drawn timelines: the further runs of the first timeline if its first run has ended, otherwise the
    /// first run of each. Draws timelines as needed.
    private mutating func runsOfDrawn(_ maximum: Int) -> [TimelineRun] {
        if let suspect = drawn.first, suspect.outcomes[0] != nil {
            return suspect.neededAttempts.prefix(maximum).map { TimelineRun(suspect.timeline, attempt: $0) }
        }
        while drawn.count < maximum {
            drawn.append(TimelineEvaluation(generator.timeline(nextNumber), share))
            nextNumber += 1
        }
        return drawn.filter { $0.outcomes[0] == nil }.prefix(maximum).map { TimelineRun($0.timeline, attempt: 0) }
    }

    /// Records the outcomes of runs that `next` returned, and continues the search. Runs that did not end may be left
    /// out.
    package mutating func record(_ results: [(run: TimelineRun, outcome: TimelineRun.Outcome)]) {
        for (run, outcome) in results {
            runs += 1
            if outcome == .inconclusive { inconclusive += 1 }
            if isShrinking, let unfinished {
                reductions[unfinished].record(outcome, of: run)
            } else if let index = drawn.firstIndex(where: {
                $0.timeline == run.timeline && $0.outcomes[run.attempt] == nil
            }) {
                drawn[index].record(outcome, run.attempt)
                if run.attempt == 0 { count(outcome, run.timeline) }
            }
        }
        while stop == nil, isShrinking ? shrink() : decide() {}
        if stop == nil, runsLeft <= 0 { stop = .outOfRuns }
    }

    private mutating func count(_ outcome: TimelineRun.Outcome, _ timeline: DisturbanceTimeline) {
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

    /// Decides whether the first drawn timeline is a finding; returns false if more runs are needed to go on.
    private mutating func decide() -> Bool {
        isShrinking = unfinished != nil && (lead <= 0 || limits.stopsAtFirst)
        guard !isShrinking else { return true }
        guard var first = drawn.first, first.outcomes[0] != nil else { return false }
        first.explained = known(under: first.timeline)
        drawn[0] = first
        let isSuspect = !first.failedAttempts.isEmpty
        if first.fails == nil, isSuspect { return false }
        drawn.removeFirst()
        let new = max(first.decisiveRuns - first.countedRuns, 0)
        first.countedRuns += new
        lead -= new
        if first.fails == true {
            reductions.append(FindingReduction(first, shortestTime: limits.shortestTime))
            findOwn()
        } else if isSuspect {
            suspects.append(TimelineFinding(first))
        }
        return true
    }

    /// The checks that fail in findings whose kinds of disturbances the timeline contains.
    private func known(under timeline: DisturbanceTimeline) -> Set<String> {
        reductions.map(\.finding).filter { $0.explains(timeline) }.reduce(into: []) { $0.formUnion($1.checks) }
    }

    /// Shrinks the first finding that is not minimal; returns false if more runs are needed to go on.
    private mutating func shrink() -> Bool {
        guard let index = unfinished, lead < Self.maximumLead || limits.stopsAtFirst else {
            isShrinking = false
            return true
        }
        lead += reductions[index].advance(limits.stopsAtFirst ? nil : Self.maximumLead - lead)
        findOwn()
        guard reductions[index].finding.isMinimal || !ownIndices.contains(index) else {
            return lead >= Self.maximumLead && !limits.stopsAtFirst
        }
        if limits.stopsAtFirst { stop = .shrunk }
        // The drawn timeline is decided again: its failures that this finding does not explain may be another finding.
        drawn.insert(reductions[index].origin, at: 0)
        return true
    }
}
