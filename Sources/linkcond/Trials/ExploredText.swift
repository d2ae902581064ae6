// SPDX-License-Identifier: Apache-2.0

import ClientObservation
import Exploration
import LinkProfiles
import Reports
import Sandboxing
import Trials

/// What `explore` found, for people and for programs.
struct ExploredText {
    private let explorer: Explorer
    private let runs: ExploredRuns
    private let file: String
    /// The run with a report; nil for none.
    private let last: TrialsReport.Trial?

    init(_ explorer: Explorer, _ runs: ExploredRuns, _ file: String, _ last: TrialsReport.Trial?) {
        (self.explorer, self.runs, self.file, self.last) = (explorer, runs, file, last)
    }

    private var search: TimelineSearch { explorer.search }
    var isFound: Bool { search.finding != nil }
    /// Whether runs had no answer, and none failed.
    var isInconclusive: Bool { search.inconclusive > 0 }
    /// The scenario to write; nil if nothing was found.
    var scenario: JSON? { search.finding.map { runs.scenario($0.timeline) } }

    /// All runs, with that without anything wrong and that of the report.
    private var runCount: Int { search.runs + 1 + (last == nil ? 0 : 1) }

    /// What failed, and what was seen.
    private var failures: [(check: String, finding: String)] {
        guard let finding = search.finding, let trial = last.flatMap({ $0.isFailure ? $0 : nil }) ?? explorer.failure
        else { return [] }
        let failed = (trial.report?.results ?? []).filter { $0.verdict == .fail }.map { ($0.expectation, $0.finding) }
        let end = trial.report.map {
            $0.outcome == .timedOut ? "The command exceeded its time limit" : $0.outcome.sentence
        }
        return finding.checks.sorted().map { check in
            (check, failed.first { $0.0 == check }?.1 ?? (check == TrialsReport.Trial.exitCheck ? end ?? "" : ""))
        }
    }

    private var repetition: [String]? {
        search.finding.flatMap { finding in
            finding.attempts.first.map { runs.repetition(file, attempt: $0) }
        }
    }

    private var sentence: String {
        let effort = "\(runCount) runs in \(explorer.duration.words)"
        guard let finding = search.finding else {
            let end = explorer.isOutOfTime ? "; the time was up" : ""
            let doubt = search.inconclusive > 0 ? ", \(search.inconclusive) of them without an answer" : ""
            return "found nothing; \(effort)\(doubt)\(end)"
        }
        let shrunk = search.stop == .shrunk ? "nothing smaller fails" : "smaller ones were not all tried"
        return "fails in \(finding.attempts.count) of \(finding.runs) runs; \(shrunk); \(effort)"
    }

    /// What was tried, and what came out.
    var lines: [OutputLine] {
        var table = Table(header: ["KIND", "RUNS", "FAILED", "INCONCLUSIVE"])
        for kind in DisturbanceKind.allCases {
            guard let counts = search.counts[kind] else { continue }
            table.add([kind.rawValue, "\(counts.runs)", "\(counts.failed)", "\(counts.inconclusive)"])
        }
        var lines = table.lines() + [OutputLine(sentence)]
        lines += (search.finding?.timeline.words ?? []).map { OutputLine("  \($0)") }
        lines += failures.map {
            OutputLine(heading: "FAIL ", $0.finding.isEmpty ? $0.check : "\($0.check): \($0.finding)")
        }
        if let last, !last.isFailure { lines.append("the run of the report did not fail") }
        if isFound { lines.append("scenario: \(file)") }
        if let repetition { lines.append("to repeat it: \(repetition.shellLine)") }
        for each in search.unconfirmed {
            lines.append(
                "failed in \(each.attempts.count) of \(each.runs) runs only: \(each.timeline.words.joined(separator: "; "))"
            )
        }
        if !isFound, !search.unconfirmed.isEmpty { lines.append("try: --fails-in 1/1, or the seed \(runs.seed) again") }
        return lines
    }

    var json: JSON {
        JSON(
            ("version", .number(1)),
            ("command", .list(runs.command.words.map { JSON(.string($0)) })),
            ("seed", .number(runs.seed)),
            ("found", .bool(isFound)),
            ("runs", .number(runCount)),
            ("drawn", .number(search.drawnCount)),
            ("inconclusive", .number(search.inconclusive)),
            ("seconds", .number(explorer.duration / .seconds(1))),
            ("stopped", .text(explorer.isOutOfTime ? "out of time" : search.stop?.rawValue)),
            (
                "kinds",
                .list(
                    DisturbanceKind.allCases.compactMap { kind in
                        search.counts[kind].map {
                            JSON(
                                ("kind", .text(kind.rawValue)),
                                ("runs", .number($0.runs)),
                                ("failed", .number($0.failed)),
                                ("inconclusive", .number($0.inconclusive))
                            )
                        }
                    }
                )
            ),
            ("finding", search.finding.map { json(of: $0) }),
            ("unconfirmed", .list(search.unconfirmed.map { json(of: $0) })),
            ("failures", .list(failures.map { JSON(("check", .text($0.check)), ("finding", .text($0.finding))) })),
            ("file", .text(isFound ? file : nil)),
            ("scenario", scenario),
            ("repeat", repetition.map { .list($0.map { JSON(.string($0)) }) })
        )
    }

    private func json(of finding: TimelineSearch.Finding) -> JSON {
        JSON(
            ("words", .list(finding.timeline.words.map { JSON(.string($0)) })),
            ("failed", .number(finding.attempts.count)),
            ("runs", .number(finding.runs)),
            ("seeds", .list(finding.attempts.map { JSON(.number("\(runs.seed($0))")) }))
        )
    }
}

extension Explorer {
    /// How far it has come, in a line.
    func progress(left: Duration) -> [OutputLine] {
        let rest = max(left, .zero).wholeSeconds
        guard let finding = search.finding else {
            let doubt = search.inconclusive > 0 ? ", \(search.inconclusive) inconclusive" : ""
            return [OutputLine("run \(search.runs + 2), nothing found\(doubt), at most \(rest) left")]
        }
        let words = finding.timeline.words.joined(separator: "; ")
        return [OutputLine("run \(search.runs + 2), shrinking, at most \(rest) left: \(words)")]
    }
}
