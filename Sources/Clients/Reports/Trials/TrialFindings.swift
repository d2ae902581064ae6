// SPDX-License-Identifier: Apache-2.0

internal import ClientVerdicts

extension TrialsReport.Trial {
    /// The failures: the command's end, unless it exited by itself, and each expectation that failed. Without any, the
    /// reason why linkcond failed, or the first inconclusive expectation.
    package var findings: [String] {
        let failed = (report?.results ?? []).filter { $0.verdict == .fail }.map { "\($0.expectation): \($0.finding)" }
        let all = [report?.outcome.ending].compactMap { $0 } + failed
        return failure == nil && !all.isEmpty ? all : [finding].compactMap { $0 }
    }
}

/// One finding of several runs.
struct FindingGroup {
    /// Runs with the same words.
    struct Case {
        let finding: String
        fileprivate(set) var trials: [TrialsReport.Trial]
    }

    let kind: Verdict
    let word: String
    let title: String
    let remedy: String?
    /// The number of runs that could have had the finding.
    let judged: Int
    fileprivate(set) var cases: [Case] = []

    var runCount: Int { cases.reduce(0) { $0 + $1.trials.count } }
}

extension TrialsReport {
    /// The findings of all runs, each once: failures first, the most frequent first.
    var findingGroups: [FindingGroup] {
        var groups: [FindingGroup] = []
        var places: [String: Int] = [:]
        for trial in trials {
            for found in trial.foundParts {
                let key = "\(found.kind.rawValue) \(found.title)"
                let index = places[key] ?? groups.count
                if index == groups.count {
                    places[key] = index
                    let judged = found.isExpectation ? count(judging: found.title) : trials.count
                    let group = FindingGroup(
                        kind: found.kind,
                        word: found.word,
                        title: found.title,
                        remedy: found.remedy,
                        judged: judged
                    )
                    groups.append(group)
                }
                if let same = groups[index].cases.firstIndex(where: { $0.finding == found.finding }) {
                    groups[index].cases[same].trials.append(trial)
                } else {
                    groups[index].cases.append(FindingGroup.Case(finding: found.finding, trials: [trial]))
                }
            }
        }
        return groups.sorted { ($0.kind.urgency, -$0.runCount) < ($1.kind.urgency, -$1.runCount) }
    }

    private func count(judging expectation: String) -> Int {
        trials.count { $0.report?.results.contains { $0.expectation == expectation } ?? false }
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
        if report.hasCommandFailed {
            let status = status.map { "the command exited with \($0)" } ?? "the command failed"
            parts.append(FoundPart(kind: .fail, word: "failed", title: report.outcome.ending ?? status))
        }
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
