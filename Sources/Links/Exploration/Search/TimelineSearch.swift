// SPDX-License-Identifier: Apache-2.0

/// The search for the timelines under which a client fails: draws timelines, confirms those that fail, and makes each
/// smaller.
///
/// Drawing and making smaller take turns: a finding that is hard to make smaller must not keep others from being found. A
/// timeline of which all failures are known, of findings whose kinds it contains, is not confirmed again.
///
/// It makes no runs: it says which are next, and is told what came out. Its course follows from the seed and the outcomes,
/// whatever the number of runs at the same time.
package struct TimelineSearch: Sendable {
    /// The reason why it has ended.
    package enum Stop: String, Sendable {
        /// The first finding is as small as it gets, and no other is wanted.
        case shrunk
        case outOfRuns = "out of runs"
        /// The caller has ended it.
        case ended
    }

    /// The limits of a search.
    package struct Limits: Sendable {
        /// The most runs that it asks for.
        package var runs: Int
        /// The runs that the caller makes of each finding at the end.
        package var runsOfFinding = 0
        /// Whether it ends with the first finding.
        package var stopsAtFirst = false
        /// Times are not made shorter than this.
        package var shortestTime = Duration.milliseconds(50)

        package init(runs: Int, runsOfFinding: Int = 0, stopsAtFirst: Bool = false) {
            (self.runs, self.runsOfFinding, self.stopsAtFirst) = (runs, runsOfFinding, stopsAtFirst)
        }
    }

    /// The results of the runs of a kind, of drawn timelines.
    package struct Counts: Hashable, Sendable {
        package var runs = 0
        package var failed = 0
        package var inconclusive = 0
    }

    private let generator: TimelineGenerator
    private let share: FailureShare
    private let limits: Limits

    /// The timelines that were drawn and are not decided, in their order.
    private var drawn: [TimelineEvaluation] = []
    private var nextNumber = 0
    /// The findings, in the order in which they were confirmed.
    private var reductions: [FindingReduction] = []
    /// The indices of findings that differ from all others.
    private var ownIndices: [Int] = []
    private var isShrinking = false
    /// The number of runs by which smaller timelines are ahead of drawn ones.
    private var lead = 0
    private var suspects: [TimelineFinding] = []

    /// Making smaller goes on until it has this lead, and drawing until there is none.
    private static let maximumLead = 10

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
    /// - Parameter share: how many runs of a timeline must fail.
    package init(_ generator: TimelineGenerator, share: FailureShare, _ limits: Limits) {
        (self.generator, self.share, self.limits) = (generator, share, limits)
        if generator.kinds.isEmpty || limits.runs < 1 { stop = .outOfRuns }
    }

    /// The distinct findings, each as small as it got, in the order in which they were confirmed.
    package var findings: [TimelineFinding] { ownIndices.map { reductions[$0].finding } }

    /// The timelines of which runs failed, but too few, and in no way that is known.
    package var unconfirmed: [TimelineFinding] {
        suspects.filter { suspect in !findings.contains { $0.explains(suspect) } }
    }

    /// The finding that is made smaller now; nil while timelines are drawn.
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

    /// The first finding that may be made smaller.
    private var unfinished: Int? { ownIndices.first { !reductions[$0].finding.isMinimal } }

    /// Ends it: what was found so far stays.
    package mutating func end() { stop = stop ?? .ended }

    /// The runs to make now, at most `count`; none when it has ended.
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

    /// The runs that remain, without those that the caller makes of the findings and of one more.
    private var runsLeft: Int { limits.runs - runs - limits.runsOfFinding * (findings.count + 1) }

    /// The runs of drawn timelines: of the first that failed, or else the first of each.
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

    /// Goes on with what came out of runs that `next` asked for; those that did not end are left out.
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

    /// Decides about the first timeline that was drawn; returns false if that takes other runs.
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

    /// The checks that are known to fail under these kinds.
    private func known(under timeline: DisturbanceTimeline) -> Set<String> {
        reductions.map(\.finding).filter { $0.explains(timeline) }.reduce(into: []) { $0.formUnion($1.checks) }
    }

    /// Makes the first finding smaller that may become so; returns false if that takes other runs.
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
        // Other failures there may be another finding.
        drawn.insert(reductions[index].origin, at: 0)
        return true
    }
}
