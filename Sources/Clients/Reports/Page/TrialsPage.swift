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
        let context = report.context
        let header = PageParts.header(
            context.title,
            [PageParts.badge(report.word), PageParts.command(context.command, limit: 600)],
            overview
        )
        let missing = report.missing.map { Markup("p", [PageParts.badge("missing"), PageParts.name($0)]) }
        let repetition = PageParts.repetition("To repeat them: ", context.repetition)
        let coverage = report.coverage.map { [CoverageSection(coverage: $0).markup] } ?? []
        let sections = [header] + missing + coverage + tables + [findings] + [failures].compactMap { $0 } + [repetition]
        return Page(title: "\(report.word): \(context.title)", sections: sections, version: context.version).text
    }

    /// "4 runs: 2 passed, 1 failed, 1 inconclusive."
    private var overview: String {
        let tally = report.tally
        let counts = [(tally.survived, "passed"), (tally.failed, "failed"), (tally.undecided, "inconclusive")]
        let words = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        guard !words.isEmpty else { return "No run: this shard has none." }
        return "\(tally.runs.of("run")): \(words.joined(separator: ", "))."
    }

    /// The runs; of repeated runs on several networks, the networks first.
    private var tables: [Markup] {
        guard report.tally.runs > 0 else { return [] }
        guard report.context.list.isMatrix, report.context.list.repetitions > 1 else { return [table] }
        let runs = Markup("details", ["class": "passed"], [Markup("summary", text: "Each run"), table])
        return [PageParts.section("Networks", [NetworksTable(report.tally).markup]), runs]
    }

    /// A row for each run, a column for each expectation; on a narrow screen, a card for each run.
    private var table: Markup {
        let head =
            ["Run", "Command"] + report.tally.expectations + ["Time", "Connections", "Retransmitted", "Dropped"]
        let heads = Markup("tr", head.map { Markup("th", ["scope": "col"], [PageParts.name($0)]) })
        let shown = report.failedFirst(limit: Self.limit)
        let attributes: KeyValuePairs = ["class": "table", "tabindex": "0", "role": "region", "aria-label": "Results"]
        let table = Markup("table", ["class": "cards"], [heads] + shown.map(row))
        var parts = [Markup("div", attributes, [table])]
        if shown.count < report.tally.runs {
            let words = "\(shown.count) of \(report.tally.runs) runs are shown, those that failed first."
            parts.append(Markup("p", text: words))
        }
        return PageParts.section("Results", parts)
    }

    private func row(_ trial: TrialsReport.Trial) -> Markup {
        let status = trial.status.map { $0 == 0 ? "exited with 0" : "exited with \($0)" } ?? "error"
        var command = Markup("td", ["data-name": "Command"], [Markup("span", text: status)])
        if let words = trial.failure ?? trial.report?.outcome.ending { command.append(PageParts.name(words, "p")) }
        if let directory = trial.directory {
            let path = "\(directory)/\(trial.log)".percentEncoded
            command.append(Markup("p", [Markup("a", ["href": path], [PageParts.name(trial.log)])]))
        }
        let verdicts = report.tally.expectations.map { expectation -> Markup in
            let name = expectation.shortened(to: 200)
            let result = trial.report?.results.first { $0.expectation == expectation }
            guard let result else { return Markup("td", ["data-name": name], text: "–") }
            let parts = [PageParts.badge(result.verdict.word), PageParts.name(result.finding, "p")]
            return Markup("td", ["class": "cell \(result.verdict.rawValue)", "data-name": name], parts)
        }
        let head = Markup("th", ["scope": "row"], [PageParts.badge(trial.word), Self.name(trial)])
        let totals = trial.report?.totals
        let figures = [
            ("Time", trial.duration.words), ("Connections", totals.map { "\($0.connections)" }),
            ("Retransmitted", totals.map { "\($0.retransmissions)" }), ("Dropped", totals.map { "\($0.dropped)" }),
        ].map { name, value in
            Markup("td", ["class": "figure", "data-name": name], text: value ?? "–")
        }
        return Markup("tr", [head, command] + verdicts + figures)
    }

    /// The run's name, a link to its page if there is one.
    private static func name(_ trial: TrialsReport.Trial) -> Markup {
        let name = PageParts.name(trial.name)
        guard let directory = trial.directory else { return name }
        return Markup("a", ["href": "\(directory.percentEncoded)/report.html"], [name])
    }

    /// The findings, each once, with the runs that it is about.
    private var findings: Markup {
        let groups = report.tally.findings.sorted
        guard !groups.isEmpty else { return Markup("p", text: report.tally.runs > 0 ? "No run failed." : "") }
        let items = groups.prefix(50).map { group -> Markup in
            // The number of runs that could have had the finding.
            let judged = group.isExpectation ? report.tally.count(judging: group.title) : report.tally.runs
            let count = "\(group.runCount) of \(judged.of("run"))"
            let head = [PageParts.badge(group.word), PageParts.name(group.title)]
            var parts = [Markup("h3", head + [Markup("span", ["class": "count"], text: count)])]
            if let remedy = group.remedy { parts.append(PageParts.remedy(remedy)) }
            var cases = group.cases.map { each -> Markup in
                let names = each.trials.map(Self.name)
                let more = each.count - names.count
                let rest = [more > 0 ? "and \(more) more" : "", each.finding].filter { !$0.isEmpty }
                return Markup("li", names + [PageParts.name(rest.joined(separator: ": "), "span")])
            }
            if group.uncased > 0 { cases.append(Markup("li", text: "and \(group.uncased.of("run")) more")) }
            parts.append(Markup("ul", ["class": "cases"], cases))
            return Markup("li", ["class": "finding \(group.kind.rawValue)"], parts)
        }
        return PageParts.section("Findings", [Markup("ul", ["class": "findings"], items)])
    }

    /// The last output of each run that failed, and its command line; nil if none failed.
    private var failures: Markup? {
        let all = report.trials.filter(\.isFailure)
        let failed = report.firstOfEachNetwork(all).prefix(50)
        guard !failed.isEmpty else { return nil }
        let items = failed.map { trial -> Markup in
            var parts = [Markup("summary", [PageParts.badge(trial.word), PageParts.name(trial.name)])]
            // Messages of linkcond are shown above, except for its notes.
            let output = trial.lastLines.filter {
                trial.report == nil || !$0.hasPrefix("linkcond: ") || $0.hasPrefix("linkcond: note: ")
            }
            if !output.isEmpty {
                let lines = output.suffix(10).map { $0.shortened(to: 300) }.joined(separator: "\n")
                parts.append(Markup("pre", [Markup("code", text: lines)]))
            }
            if let repetition = trial.report?.context.repetition {
                parts.append(PageParts.repetition("To repeat it: ", repetition))
            }
            return Markup("details", ["class": "passed"], parts)
        }
        let isPart = failed.count < all.count
        return PageParts.section("Last lines of the \(isPart ? "first " : "")runs that failed", Array(items))
    }
}

extension String {
    /// The text, a relative path of names, as the path of a URL (RFC 3986, section 3.3).
    var percentEncoded: String {
        var encoded = ""
        for byte in utf8 {
            let scalar = Unicode.Scalar(byte)
            if byte < 0x80, scalar.properties.isAlphabetic || "0123456789-._~/".unicodeScalars.contains(scalar) {
                encoded.unicodeScalars.append(scalar)
            } else {
                encoded += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return encoded
    }
}
