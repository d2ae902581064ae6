// SPDX-License-Identifier: Apache-2.0

internal import ClientVerdicts
internal import LinkProfiles

/// summary.md: the results as Markdown (CommonMark, with GitHub's tables).
package struct SummaryText {
    package let text: String

    /// The maximum number of rows of a table.
    private static let limit = 200

    /// Sums up one run.
    package init(_ report: RunReport) {
        var lines = ["## \(report.word): \(Self.plain(report.title))", "", Self.command(report.context.command), ""]
        lines += ["\(report.outcome.sentence), after \(report.duration.words).", ""]
        for sentence in report.clockSentences + report.effectSentences { lines += ["Note: \(sentence).", ""] }
        if let log = report.timeline?.requests, !log.isEmpty {
            let parts = [log.sentence, log.querySentence, log.blindSpot].compactMap { $0 }
            lines += [parts.joined(separator: "; ") + ".", ""]
        }
        if !report.results.isEmpty {
            let rows = report.results.map { [$0.verdict.word, Self.plain($0.expectation), Self.plain($0.finding)] }
            lines += Self.table(["verdict", "expectation", "finding"], rows) + [""]
        }
        if let doubt = report.doubtSentence { lines += ["\(doubt).", ""] }
        if !report.missed.isEmpty { lines += report.missSentences.map { "- \(Self.plain($0))" } + [""] }
        for result in report.results where result.verdict == .fail {
            guard let remedy = result.remedy else { continue }
            lines += ["- \(Self.plain(result.expectation)): what usually helps is \(Self.plain(remedy)).", ""]
        }
        if let sentence = report.testSentence { lines += ["\(sentence).", ""] }
        let failures = report.testResults.filter { $0.result.verdict != .pass }.prefix(Self.limit)
        if !failures.isEmpty {
            let rows = failures.map { test, result in
                [result.verdict.word] + [report.name(of: test), result.expectation, result.finding].map(Self.plain)
            }
            lines += Self.table(["verdict", "test", "expectation", "finding"], rows) + [""]
        }
        if let timeline = report.timeline, let picture = TimelineText(timeline) {
            lines += Self.fenced(picture.lines)
        }
        let output = report.outcome == .exited(0) ? [] : report.output?.lastLines(10) ?? []
        if !output.isEmpty {
            lines += ["The last lines of the output:", ""] + Self.fenced(output.map { $0.shortened(to: 300) })
        }
        lines += ["To repeat it:", ""] + Self.fenced([report.repetitionLine], as: "console")
        lines.append("linkcond \(report.context.version), seed \(report.context.seedWords), \(report.context.kernel)")
        text = lines.joined(separator: "\n") + "\n"
    }

    /// Sums up several runs.
    package init(_ report: TrialsReport) {
        let context = report.context
        var lines = ["## \(report.word): \(Self.plain(context.title))", "", Self.command(context.command), ""]
        for sentence in report.missing { lines += ["\(Self.plain(sentence)).", ""] }
        lines += report.coverage?.summary ?? []
        let isRepeated = context.list.isMatrix && context.list.repetitions > 1
        if isRepeated {
            let rows = report.tally.networks.map { network in
                [Self.plain(network.name), network.survivalWords, network.medianDuration?.words ?? ""]
                    + [Self.plain(network.findingWords)]
            }
            lines += Self.table(["network", "survived", "median time", "findings"], rows) + [""]
        }
        // The runs of a network that passed are in its row.
        let shown = report.failedFirst(limit: Self.limit).filter { !isRepeated || !$0.isSuccess }
        let rows = shown.flatMap { trial in
            let totals = trial.report?.totals
            let figures = [totals?.connections, totals?.retransmissions, totals?.dropped]
            let cells =
                [Self.plain(trial.name), trial.word, trial.status.map(String.init) ?? "", trial.duration.words]
                + figures.map { $0.map(String.init) ?? "" }
            let findings = trial.findings.map(Self.plain)
            return [cells + [findings.first ?? ""]] + findings.dropFirst().map { cells.map { _ in "" } + [$0] }
        }
        if !rows.isEmpty {
            lines += Self.table(
                ["run", "verdict", "status", "time", "connections", "retransmitted", "dropped", "findings"],
                rows
            )
        }
        if shown.count < report.tally.runs, !isRepeated {
            lines.append("\n\(shown.count) of \(report.tally.runs) runs are shown, those that failed first.")
        }
        let remedies = report.tally.findings.sorted.compactMap { group in
            group.remedy.map { "- \(Self.plain(group.title)): what usually helps is \(Self.plain($0))." }
        }
        if !remedies.isEmpty { lines += [""] + remedies }
        lines += ["", "To repeat them:", ""] + Self.fenced([context.repetition.shellLine], as: "console")
        lines.append("linkcond \(context.version)")
        text = lines.joined(separator: "\n") + "\n"
    }

    /// Sums up a search for limits.
    package init(_ report: LimitsReport) {
        var lines = ["## Limits", "", Self.command(report.command), ""]
        for limit in report.limits {
            lines += ["### \(Self.plain("\(limit.range)"))", "", "\(Self.plain(limit.sentence)).", ""]
            let points = limit.search.points(of: limit.range)
            let rows = points.map { [Self.plain($0.value), "\($0.survived) of \($0.runs)"] }
            lines += Self.table(["value", "survived"], rows) + [""]
        }
        lines += ["To repeat it:", ""] + Self.fenced([report.repetition.shellLine], as: "console")
        text = lines.joined(separator: "\n") + "\n"
    }

    private static func command(_ words: [String]) -> String { "`\(code(words.shellLine))`" }

    private static func table(_ heads: [String], _ rows: [[String]]) -> [String] {
        let lines = ([heads] + rows).map { "| \($0.joined(separator: " | ")) |" }
        return [lines[0], "|" + String(repeating: "---|", count: heads.count)] + lines[1...]
    }

    /// A fenced code block, followed by an empty line.
    private static func fenced(_ lines: [String], as kind: String = "text") -> [String] {
        ["```\(kind)"] + lines.map(code) + ["```", ""]
    }

    /// Escapes text so that it contains no markup: any ASCII punctuation may be escaped (CommonMark 0.31, section 2.4).
    static func plain(_ text: String) -> String {
        var plain = ""
        for scalar in text.shortened(to: 1000).visible.unicodeScalars {
            switch scalar {
            case "\n", "\t", "\r": plain += " "
            case "<": plain += "&lt;"
            case ">": plain += "&gt;"
            case "&": plain += "&amp;"
            // These are no markup within a line, and are easier to read without a backslash.
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

    /// Text for a code span or a fenced block; backticks, which could end it, are replaced.
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
