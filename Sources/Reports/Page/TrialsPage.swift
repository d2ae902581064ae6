// SPDX-License-Identifier: Apache-2.0

internal import ClientObservation
internal import LinkProfiles

/// report.html of several runs.
package struct TrialsPage {
    let report: TrialsReport
    /// Runs that did not fail are left out of the table above this number.
    private static let limit = 1000

    /// Prepares the page.
    package init(_ report: TrialsReport) { self.report = report }

    /// The page as text.
    package var text: String {
        let word = report.hasFailed ? "FAIL" : report.verdict.word
        let header = Markup(
            "header",
            [:],
            [
                Markup("h1", text: report.title),
                Markup(
                    "p",
                    ["class": "command"],
                    [PageParts.badge(word), PageParts.command(report.command, limit: 600)]
                ),
                Markup("p", text: "\(report.trials.count.of("run")), \(report.trials.count { $0.isFailure }) failed."),
            ]
        )
        let repetition = [Markup("span", text: "To repeat them: "), PageParts.command(report.repetition)]
        let sections = [header, table, failures, Markup("p", [:], repetition)]
        return Page(title: "\(word): \(report.title)", sections: sections, version: report.version).text
    }

    /// A row for each run, a column for each expectation.
    private var table: Markup {
        let head = ["Run", "Command", "Time"] + report.expectations + ["Connections", "Sent again", "Dropped"]
        var rows = [Markup("tr", [:], head.map { Markup("th", ["scope": "col"], [PageParts.name($0)]) })]
        let shown = Self.selection(report.trials)
        for trial in shown { rows.append(row(trial)) }
        var parts = [PageParts.table("Results", rows)]
        if shown.count < report.trials.count {
            let words = "\(shown.count) of \(report.trials.count) runs are shown, those that failed first."
            parts.append(Markup("p", text: words))
        }
        return RunPage.section("Results", parts)
    }

    private static func selection(_ trials: [TrialsReport.Trial]) -> [TrialsReport.Trial] {
        guard trials.count > limit else { return trials }
        return Array((trials.filter(\.isFailure) + trials.filter { !$0.isFailure }).prefix(limit))
    }

    private func row(_ trial: TrialsReport.Trial) -> Markup {
        var name = PageParts.name(trial.name)
        if let directory = trial.directory {
            name = Markup("a", ["href": "\(directory.percentEncoded)/report.html"], [name])
        }
        var cells = [Markup("th", ["scope": "row"], [name])]
        let status = trial.status.map { $0 == 0 ? "done" : "failed with \($0)" } ?? "error"
        var command = Markup("td", [:], [PageParts.badge(status)])
        if let failure = trial.failure { command.content.append(.element(PageParts.name(failure, "p"))) }
        if let directory = trial.directory {
            let path = "\(directory.percentEncoded)/\(trial.log.percentEncoded)"
            command.content.append(.element(Markup("a", ["href": path], [PageParts.name(trial.log)])))
        }
        cells.append(command)
        cells.append(Markup("td", ["class": "figure"], text: trial.duration.words))
        for expectation in report.expectations {
            let result = trial.report?.results.first { $0.expectation == expectation }
            guard let result else {
                cells.append(Markup("td", text: "–"))
                continue
            }
            let finding = PageParts.name(result.finding, "p")
            cells.append(
                Markup(
                    "td",
                    ["class": "cell \(result.verdict.rawValue)"],
                    [PageParts.badge(result.verdict.word), finding]
                )
            )
        }
        let totals = trial.report?.totals
        for figure in [totals?.connections, totals?.retransmissions, totals?.dropped] {
            cells.append(Markup("td", ["class": "figure"], text: figure.map { "\($0)" } ?? "–"))
        }
        return Markup("tr", [:], cells)
    }

    private var failures: Markup {
        let failed = report.trials.filter(\.isFailure).prefix(50)
        guard !failed.isEmpty else { return Markup("p", text: "No run failed.") }
        let items = failed.map { trial -> Markup in
            var parts = [Markup("h3", [:], [PageParts.badge(trial.word), PageParts.name(trial.name)])]
            for result in trial.report?.results ?? [] where result.verdict == .fail {
                parts.append(PageParts.name("\(result.expectation): \(result.finding)", "p"))
                if let remedy = result.remedy { parts.append(Markup("p", text: "What usually helps: \(remedy).")) }
            }
            if let failure = trial.failure { parts.append(PageParts.name(failure, "p")) }
            // What linkcond said itself stands above, but for its notes.
            let output = trial.lastLines.filter {
                trial.report == nil || !$0.hasPrefix("linkcond: ") || $0.hasPrefix("linkcond: note: ")
            }
            if !output.isEmpty {
                let lines = output.suffix(10).map { $0.shortened(to: 300) }.joined(separator: "\n")
                parts.append(Markup("p", [:], [Markup("code", text: lines)]))
            }
            if let repetition = trial.report?.setting.repetition {
                parts.append(Markup("p", [:], [Markup("span", text: "To repeat it: "), PageParts.command(repetition)]))
            }
            return Markup("li", [:], parts)
        }
        return RunPage.section("Failures", [Markup("ul", ["class": "findings"], items)])
    }
}

extension String {
    /// The text as a segment of a URL's path (RFC 3986, section 3.3).
    var percentEncoded: String {
        var encoded = ""
        for byte in utf8 {
            let scalar = Unicode.Scalar(byte)
            if byte < 0x80, scalar.properties.isAlphabetic || "0123456789-._~".unicodeScalars.contains(scalar) {
                encoded.unicodeScalars.append(scalar)
            } else {
                encoded += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return encoded
    }
}
