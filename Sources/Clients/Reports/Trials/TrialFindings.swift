// SPDX-License-Identifier: Apache-2.0

internal import ClientVerdicts

extension TrialsReport.Trial {
    /// The failures: that of the command, and each expectation that failed. Without any, the reason why linkcond failed,
    /// or the first inconclusive expectation.
    package var findings: [String] {
        let failed = (report?.results ?? []).filter { $0.verdict == .fail }.map { "\($0.expectation): \($0.finding)" }
        let all = [commandFailure ?? report?.outcome.ending].compactMap { $0 } + failed
        return failure == nil && !all.isEmpty ? all : [finding].compactMap { $0 }
    }

    /// The command's end, if it makes the run a failure.
    private var commandFailure: String? {
        guard let report, report.hasCommandFailed else { return nil }
        return report.outcome.ending ?? status.map { "the command exited with \($0)" } ?? "the command failed"
    }
}

/// One finding of several runs.
struct FindingGroup: Hashable, Sendable {
    /// Runs with the same words.
    struct Case: Hashable, Sendable {
        let finding: String
        /// The first of the runs.
        fileprivate(set) var trials: [TrialsReport.Trial] = []
        fileprivate(set) var count = 0
    }

    let kind: Verdict
    let word: String
    let title: String
    let remedy: String?
    /// Whether the title is an expectation: then only the runs with that expectation could have had the finding.
    let isExpectation: Bool
    /// The first cases.
    fileprivate(set) var cases: [Case] = []
    /// The number of runs with this finding.
    fileprivate(set) var runCount = 0
    /// The number of those whose words are in no case, since there are too many.
    fileprivate(set) var uncased = 0

    /// The most cases of a group, and the most runs of a case.
    private static let (maximumCases, maximumTrials) = (20, 12)

    fileprivate mutating func add(_ finding: String, _ trial: TrialsReport.Trial) {
        runCount += 1
        var index = cases.firstIndex { $0.finding == finding }
        if index == nil, cases.count < Self.maximumCases {
            index = cases.count
            cases.append(Case(finding: finding))
        }
        guard let index else { return uncased += 1 }
        cases[index].count += 1
        guard cases[index].trials.count < Self.maximumTrials else { return }
        // A group needs a run's name and directory only.
        var link = trial
        (link.report, link.lastLines) = (nil, [])
        cases[index].trials.append(link)
    }
}

/// The findings of several runs, each once.
struct FindingGroups: Hashable, Sendable {
    private var groups: [FindingGroup] = []
    private var positions: [String: Int] = [:]

    /// The groups: failures first, the most frequent first.
    var sorted: [FindingGroup] {
        groups.sorted { ($0.kind.urgency, -$0.runCount) < ($1.kind.urgency, -$1.runCount) }
    }

    mutating func add(_ trial: TrialsReport.Trial) {
        for found in trial.foundParts {
            let key = "\(found.kind.rawValue) \(found.title)"
            let index = positions[key] ?? groups.count
            if index == groups.count {
                positions[key] = index
                groups.append(
                    FindingGroup(
                        kind: found.kind,
                        word: found.word,
                        title: found.title,
                        remedy: found.remedy,
                        isExpectation: found.isExpectation
                    )
                )
            }
            groups[index].add(found.finding, trial)
        }
    }
}

extension TrialsReport.Trial {
    fileprivate struct FoundPart {
        var kind: Verdict
        var word: String
        var title: String
        var finding = ""
        var remedy: String?
        var isExpectation = false
    }

    /// The titles of what failed, and of what is inconclusive.
    var foundTitles: [String] {
        foundParts.filter { $0.kind == .fail }.map(\.title)
            + foundParts.filter { $0.kind == .inconclusive }.map { "inconclusive: \($0.title)" }
    }

    /// What is wrong with the run, or could not be judged: one part for each reason.
    fileprivate var foundParts: [FoundPart] {
        guard let report else {
            return [FoundPart(kind: .fail, word: "error", title: "linkcond failed", finding: failure ?? "")]
        }
        var parts = report.results.filter { $0.verdict == .fail || $0.verdict == .inconclusive }.map { result in
            FoundPart(
                kind: result.verdict,
                word: result.verdict.word,
                title: result.expectation,
                finding: result.finding,
                remedy: result.remedy,
                isExpectation: true
            )
        }
        if let commandFailure { parts.append(FoundPart(kind: .fail, word: "failed", title: commandFailure)) }
        parts += report.missed.map { missed in
            FoundPart(
                kind: missed.verdict,
                word: missed.verdict.word,
                title: "\(missed.part.name) never met a packet",
                finding: missed.part.reason ?? ""
            )
        }
        return parts
    }
}

extension CommandEnd {
    /// The command's end in words; nil if it exited by itself, or was ended because an expectation failed.
    var ending: String? {
        switch self {
        case .timedOut: "the command exceeded its time limit and was ended"
        case .killed(let signal): "signal \(signal) ended the command"
        case .notStarted: "the command could not be executed"
        case .exited, .failedFast: nil
        }
    }
}
