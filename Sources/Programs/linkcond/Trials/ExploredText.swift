// SPDX-License-Identifier: Apache-2.0

import ClientVerdicts
import Exploration
import LinkProfiles
import Reports
import Sandboxing
import Trials

/// The attempts and findings of `explore`, as text and as JSON.
struct ExploredText {
    private let explorer: Explorer
    private let runs: ExploredRuns
    private let seed: UInt64
    let findings: [ExploredFinding]

    init(_ explorer: Explorer, _ runs: ExploredRuns, seed: UInt64, _ findings: [ExploredFinding]) {
        (self.explorer, self.runs, self.seed, self.findings) = (explorer, runs, seed, findings)
    }

    private var search: TimelineSearch { explorer.search }
    var isFound: Bool { !findings.isEmpty }
    /// Whether some runs were inconclusive.
    var isInconclusive: Bool { search.inconclusive > 0 }

    /// The number of runs, including the run without disturbances and the runs for reports.
    private var runCount: Int { search.runs + 1 + findings.count { $0.last != nil } }

    private var sentence: String {
        let found = findings.isEmpty ? "found nothing" : counted(findings.count, "finding")
        let doubt = search.inconclusive > 0 ? ", \(search.inconclusive) of them without an answer" : ""
        let end = explorer.isOutOfTime ? "; the time was up" : ""
        return "\(found); \(counted(runCount, "run")) in \(explorer.duration.words)\(doubt)\(end)"
    }

    /// The attempts by kind of disturbance, and the findings.
    var lines: [OutputLine] {
        var table = Table(header: ["KIND", "RUNS", "FAILED", "INCONCLUSIVE"])
        for kind in DisturbanceKind.allCases {
            guard let counts = search.counts[kind] else { continue }
            table.add([kind.rawValue, "\(counts.runs)", "\(counts.failed)", "\(counts.inconclusive)"])
        }
        var lines = table.lines() + [OutputLine(sentence)]
        for finding in findings { lines += [""] + finding.lines }
        if !search.unconfirmed.isEmpty, isFound { lines.append("") }
        for each in search.unconfirmed {
            lines.append(
                "failed in \(each.attempts.count) of \(counted(each.runs, "run")) only: \(each.timeline.words.joined(separator: "; "))"
            )
        }
        if !isFound, !search.unconfirmed.isEmpty { lines.append("try: --fails-in 1/1, or the seed \(seed) again") }
        return lines
    }

    /// The members of the first finding are also members of the outer object.
    var json: JSON {
        var members: [(String, JSON?)] = [
            ("version", .number(1)),
            ("command", .list(runs.command.words.map { JSON(.string($0)) })),
            ("seed", .number(seed)),
            ("found", .bool(isFound)),
            ("runs", .number(runCount)),
            ("drawn", .number(search.drawnCount)),
            ("inconclusive", .number(search.inconclusive)),
            ("seconds", .number(explorer.duration / .seconds(1))),
            ("stopped", .text(explorer.isOutOfTime ? "out of time" : search.stop?.rawValue)),
            ("kinds", .list(DisturbanceKind.allCases.compactMap { kind in search.counts[kind]?.json(of: kind) })),
            ("unconfirmed", .list(search.unconfirmed.map { $0.json(runs) })),
        ]
        members += findings.first?.members ?? [("failures", .list([]))]
        members.append(("findings", .list(findings.map(\.json))))
        return JSON(members: members)
    }
}

extension TimelineSearch.Counts {
    fileprivate func json(of kind: DisturbanceKind) -> JSON {
        JSON(
            ("kind", .text(kind.rawValue)),
            ("runs", .number(runs)),
            ("failed", .number(failed)),
            ("inconclusive", .number(inconclusive))
        )
    }
}

extension Explorer {
    /// The progress of the search, in one line.
    func progress(left: Duration) -> [OutputLine] {
        let findings = search.findings
        let found = findings.isEmpty ? "nothing found" : counted(findings.count, "finding")
        let doubt = search.inconclusive > 0 ? ", \(search.inconclusive) inconclusive" : ""
        // The search counts neither the first run, without disturbances, nor the run that is not over.
        let current = search.runs + 2
        let line = "run \(current), \(found)\(doubt), at most \(max(left, .zero).wholeSeconds) left"
        guard let finding = search.shrinking else { return [OutputLine(line)] }
        return [OutputLine("\(line); shrinking: \(finding.timeline.words.joined(separator: "; "))")]
    }
}
