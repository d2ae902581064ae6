// SPDX-License-Identifier: Apache-2.0

import ClientObservation
import Glibc
import LinkProfiles
import Reports

/// What came out of several trials of one command.
struct TrialSummary {
    let results: [TrialResult]

    /// The verdict on all of them together.
    var verdict: Verdict { Verdict.worst(of: results.compactMap { $0.report?.verdict }) }

    /// The exit status: 125 if linkcond itself failed; else the command's first that is not zero; else 1 for an
    /// expectation that failed, or with `strict` one without an answer.
    func exitStatus(strict: Bool) -> CInt {
        if results.contains(where: { $0.status == nil }) { return 125 }
        if let status = results.compactMap(\.status).first(where: { $0 != 0 }) { return status }
        return verdict == .fail || strict && verdict == .inconclusive ? 1 : 0
    }

    /// The results as a table.
    var table: [OutputLine] {
        var table = Table(header: [
            "PROFILE", "VERDICT", "STATUS", "TIME", "CONNECTIONS", "SENT AGAIN", "DROPPED", "FIRST FINDING",
        ])
        for result in results {
            let totals = result.report?.totals
            table.add([
                result.trial.name, result.word, result.status.map { "\($0)" } ?? "-", result.time.words,
                totals.map { "\($0.connections)" } ?? "-", totals.map { "\($0.retransmissions)" } ?? "-",
                totals.map { "\($0.dropped)" } ?? "-", result.finding ?? "",
            ])
        }
        return table.lines()
    }

    /// The results as a report.
    ///
    /// - Parameter directory: that of the report, below which those of the runs lie.
    func report(_ title: String, command: [String], below directory: String) -> TrialsReport {
        TrialsReport(
            title: title,
            command: command,
            repetition: CommandLine.arguments,
            version: Linkcond.version,
            trials: results.map { result in
                TrialsReport.Trial(
                    name: result.trial.name,
                    directory: result.trial.directory.map { String($0.dropFirst(directory.count + 1)) },
                    log: TrialFiles.logName,
                    status: result.status,
                    failure: result.failure,
                    report: result.report,
                    duration: result.time,
                    lastLines: result.isSuccess ? [] : result.lastLines
                )
            }
        )
    }

    /// The results as JSON.
    func json(command: [String]) -> JSON {
        JSON(
            ("version", .number(1)),
            ("verdict", .text(verdict.rawValue)),
            ("command", .list(command.map { JSON(.string($0)) })),
            ("runs", .list(results.map(\.json)))
        )
    }
}

extension TrialResult {
    /// How long the command took; the whole trial if linkcond failed.
    var time: Duration { report?.duration ?? duration }

    /// The first expectation that failed, or else the first without an answer, and what was seen.
    var finding: String? {
        if let failure { return failure }
        let results = report?.results ?? []
        let first = results.first { $0.verdict == .fail } ?? results.first { $0.verdict == .inconclusive }
        return first.map { "\($0.expectation): \($0.finding)" }
    }

    fileprivate var json: JSON {
        JSON(
            ("name", .text(trial.name)),
            ("status", .number(status)),
            ("failure", .text(failure)),
            ("directory", .text(trial.directory)),
            ("report", report?.json)
        )
    }

    /// The last lines of the output, or where they are, with a heading; nil if nothing failed.
    func excerpt(_ count: Int = 10) -> String? {
        guard !isSuccess else { return nil }
        if let directory = trial.directory { return "\(trial.name): see \(directory)/\(TrialFiles.logName)" }
        guard !lastLines.isEmpty else { return nil }
        let lines = lastLines.suffix(count).map { "  \($0)" }.joined(separator: "\n")
        return "\(trial.name), the last lines of its output:\n\(lines)"
    }
}
