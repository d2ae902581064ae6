// SPDX-License-Identifier: Apache-2.0

internal import ClientObservation
internal import LinkProfiles

/// summary.md: what came out, as Markdown (CommonMark, with the tables of GitHub).
package struct SummaryText {
    /// The summary.
    package let text: String

    /// More rows than this are not shown.
    private static let limit = 200

    /// Sums up one run.
    package init(_ report: RunReport) {
        var lines = ["## \(report.word): \(Self.plain(report.title))", ""]
        lines += ["`\(Self.code(report.setting.command.map(\.shellWord).joined(separator: " ")))`", ""]
        lines += ["\(report.outcome.sentence), after \(report.duration.words).", ""]
        if let log = report.timeline?.requests, !log.isEmpty {
            let parts = [log.sentence, log.querySentence] + [log.blindSpot].compactMap { $0 }
            lines += [parts.joined(separator: "; ") + ".", ""]
        }
        if !report.results.isEmpty {
            lines += ["| verdict | expectation | finding |", "|---|---|---|"]
            for result in report.results {
                let cells = [result.verdict.word, Self.plain(result.expectation), Self.plain(result.finding)]
                lines.append("| \(cells.joined(separator: " | ")) |")
            }
            lines.append("")
        }
        for result in report.results where result.verdict == .fail {
            guard let remedy = result.remedy else { continue }
            lines += ["- \(Self.plain(result.expectation)): what usually helps is \(Self.plain(remedy)).", ""]
        }
        if let timeline = report.timeline, let picture = TimelineText(timeline) {
            lines += ["```text"] + picture.lines.map { Self.code($0) } + ["```", ""]
        }
        let output = report.outcome == .exited(0) ? [] : report.output?.lastLines(10) ?? []
        if !output.isEmpty {
            lines += ["The last lines of the output:", "", "```text"]
            lines += output.map { Self.code($0.shortened(to: 300)) } + ["```", ""]
        }
        lines += ["To repeat it:", "", "```console", Self.code(report.repetitionLine), "```", ""]
        lines.append("linkcond \(report.setting.version), seed \(report.setting.seed), \(report.setting.kernel)")
        text = lines.joined(separator: "\n") + "\n"
    }

    /// Sums up several runs.
    package init(_ report: TrialsReport) {
        var lines = ["## \(report.hasFailed ? "FAIL" : report.verdict.word): \(Self.plain(report.title))", ""]
        lines += ["`\(Self.code(report.command.map(\.shellWord).joined(separator: " ")))`", ""]
        lines += [
            "| run | verdict | status | time | connections | sent again | dropped | first finding |",
            "|---|---|---|---|---|---|---|---|",
        ]
        let failed = report.trials.filter(\.isFailure)
        let shown = report.trials.count > Self.limit ? failed + report.trials.filter { !$0.isFailure } : report.trials
        for trial in shown.prefix(Self.limit) {
            let totals = trial.report?.totals
            let figures = [totals?.connections, totals?.retransmissions, totals?.dropped].map {
                $0.map(String.init) ?? ""
            }
            let cells = [
                Self.plain(trial.name), trial.word, trial.status.map(String.init) ?? "", trial.duration.words,
            ]
            lines.append("| \((cells + figures + [Self.plain(trial.finding ?? "")]).joined(separator: " | ")) |")
        }
        if report.trials.count > Self.limit {
            lines.append("\n\(Self.limit) of \(report.trials.count) runs are shown, those that failed first.")
        }
        lines += ["", "To repeat them:", "", "```console"]
        lines += [Self.code(report.repetition.map(\.shellWord).joined(separator: " ")), "```", ""]
        lines.append("linkcond \(report.version)")
        text = lines.joined(separator: "\n") + "\n"
    }

    /// Sums up a search for limits.
    package init(_ report: LimitsReport) {
        var lines = ["## Limits", "", "`\(Self.code(report.command.map(\.shellWord).joined(separator: " ")))`", ""]
        for limit in report.limits {
            lines += ["### \(Self.plain("\(limit.range)"))", "", "\(Self.plain(limit.sentence)).", ""]
            lines += ["| value | survived |", "|---|---|"]
            for point in limit.search.points(of: limit.range) {
                lines.append("| \(Self.plain(point.value)) | \(point.survived) of \(point.runs) |")
            }
            lines.append("")
        }
        lines += ["To repeat it:", "", "```console"]
        lines += [Self.code(report.repetition.map(\.shellWord).joined(separator: " ")), "```", ""]
        text = lines.joined(separator: "\n") + "\n"
    }

    /// Text in which nothing is markup: every punctuation mark of ASCII may be escaped (CommonMark 0.31, section 2.4).
    static func plain(_ text: String) -> String {
        var plain = ""
        for scalar in text.shortened(to: 1000).visible.unicodeScalars {
            switch scalar {
            case "\n", "\t", "\r": plain += " "
            case "<": plain += "&lt;"
            case ">": plain += "&gt;"
            case "&": plain += "&amp;"
            // These say nothing within a line, and are read more easily without a backslash.
            case ".", ",", ":", ";", "'", "\"", "(", ")", "/", "%", "-", "+", "=", "?":
                plain.unicodeScalars.append(scalar)
            case let mark where mark.isASCII && !mark.properties.isAlphabetic && !("0"..."9" ~= mark) && mark != " ":
                plain += "\\"
                plain.unicodeScalars.append(mark)
            default: plain.unicodeScalars.append(scalar)
            }
        }
        return plain
    }

    /// Text for a code span or a fenced block, which cannot end it.
    private static func code(_ text: String) -> String {
        let line = text.shortened(to: 4000).escapingLines
        return String(line.map { $0 == "`" ? "\u{2CB}" : $0 })
    }
}

extension String {
    /// The text on one line.
    fileprivate var escapingLines: String {
        String(String.UnicodeScalarView(visible.unicodeScalars.map { $0 == "\n" || $0 == "\t" ? " " : $0 }))
    }
}
