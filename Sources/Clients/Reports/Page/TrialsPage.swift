// SPDX-License-Identifier: Apache-2.0

internal import ClientVerdicts
internal import LinkProfiles

/// report.html of several runs.
package struct TrialsPage {
    let report: TrialsReport
    /// The maximum number of runs in the table; runs that did not fail are left out first.
    private static let limit = 1000

    package init(_ report: TrialsReport) { self.report = report }

    package var text: String {
        let word = report.hasFailed ? "FAIL" : report.verdict.word
        let header = PageParts.header(
            report.title,
            [PageParts.badge(word), PageParts.command(report.command, limit: 600)],
            "\(report.trials.count.of("run")), \(report.trials.count { $0.isFailure }) failed."
        )
        let sections = [header, table, failures, PageParts.repetition("To repeat them: ", report.repetition)]
        return Page(title: "\(word): \(report.title)", sections: sections, version: report.version).text
    }

    /// A row for each run, a column for each expectation.
    private var table: Markup {
        let head = ["Run", "Command", "Time"] + report.expectations + ["Connections", "Sent again", "Dropped"]
        let heads = Markup("tr", head.map { Markup("th", ["scope": "col"], [PageParts.name($0)]) })
        let shown = report.failedFirst(limit: Self.limit)
        var parts = [PageParts.table("Results", [heads] + shown.map(row))]
        if shown.count < report.trials.count {
            let words = "\(shown.count) of \(report.trials.count) runs are shown, those that failed first."
            parts.append(Markup("p", text: words))
        }
        return PageParts.section("Results", parts)
    }

    private func row(_ trial: TrialsReport.Trial) -> Markup {
        var name = PageParts.name(trial.name)
        if let directory = trial.directory {
            name = Markup("a", ["href": "\(directory.percentEncoded)/report.html"], [name])
        }
        let status = trial.status.map { $0 == 0 ? "done" : "failed with \($0)" } ?? "error"
        var command = Markup("td", [PageParts.badge(status)])
        if let words = trial.failure ?? trial.report?.outcome.ending { command.append(PageParts.name(words, "p")) }
        if let directory = trial.directory {
            let path = "\(directory.percentEncoded)/\(trial.log.percentEncoded)"
            command.append(Markup("a", ["href": path], [PageParts.name(trial.log)]))
        }
        let verdicts = report.expectations.map { expectation -> Markup in
            let result = trial.report?.results.first { $0.expectation == expectation }
            guard let result else { return Markup("td", text: "–") }
            let parts = [PageParts.badge(result.verdict.word), PageParts.name(result.finding, "p")]
            return Markup("td", ["class": "cell \(result.verdict.rawValue)"], parts)
        }
        let head = [Markup("th", ["scope": "row"], [name]), command, PageParts.figure(trial.duration.words)]
        let totals = trial.report?.totals
        let figures = [totals?.connections, totals?.retransmissions, totals?.dropped]
        return Markup("tr", head + verdicts + figures.map { PageParts.figure($0.map(String.init)) })
    }

    private var failures: Markup {
        let failed = report.trials.filter(\.isFailure).prefix(50)
        guard !failed.isEmpty else { return Markup("p", text: "No run failed.") }
        let items = failed.map { trial -> Markup in
            var parts = [Markup("h3", [PageParts.badge(trial.word), PageParts.name(trial.name)])]
            if let ending = trial.report?.outcome.ending { parts.append(PageParts.name(ending, "p")) }
            for result in trial.report?.results ?? [] where result.verdict == .fail {
                parts.append(PageParts.name("\(result.expectation): \(result.finding)", "p"))
                if let remedy = result.remedy { parts.append(PageParts.remedy(remedy)) }
            }
            if let failure = trial.failure { parts.append(PageParts.name(failure, "p")) }
            // Messages of linkcond are shown above, except for its notes.
            let output = trial.lastLines.filter {
                trial.report == nil || !$0.hasPrefix("linkcond: ") || $0.hasPrefix("linkcond: note: ")
            }
            if !output.isEmpty {
                let lines = output.suffix(10).map { $0.shortened(to: 300) }.joined(separator: "\n")
                parts.append(Markup("p", [Markup("code", text: lines)]))
            }
            if let repetition = trial.report?.context.repetition {
                parts.append(PageParts.repetition("To repeat it: ", repetition))
            }
            return Markup("li", parts)
        }
        return PageParts.section("Failures", [Markup("ul", ["class": "findings"], items)])
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
