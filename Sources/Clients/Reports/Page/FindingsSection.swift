// SPDX-License-Identifier: Apache-2.0

internal import ClientVerdicts

/// The verdicts on a run's expectations: those that did not pass at length, passes on one line each.
struct FindingsSection {
    let report: RunReport
    let evidence: Evidence

    /// The section; nil for a run whose only verdicts are those of tests inside.
    var element: Markup? {
        guard !report.results.isEmpty else {
            guard report.testCount == 0 else { return nil }
            let words = "Nothing was expected of the command: linkcond run --expect 'completes within 30 s'."
            return PageParts.section("Findings", [Markup("p", text: words)])
        }
        var parts: [Markup] = []
        let items = [command].compactMap { $0 } + evidence.findings.map(item)
        if !items.isEmpty { parts.append(Markup("ul", ["class": "findings"], items)) }
        if !evidence.passes.isEmpty { parts.append(passes) }
        // Shortened here, so that the timeline is not far down; the last section has the whole command line.
        parts.append(PageParts.repetition("To repeat the run: ", report.context.repetition, limit: 600))
        return PageParts.section("Findings", parts)
    }

    /// The failure of the command itself; nil if it did not fail, or if an expectation on its status says so.
    private var command: Markup? {
        guard report.hasCommandFailed else { return nil }
        let head = [PageParts.badge("failed"), PageParts.name(report.outcome.sentence)]
        return Markup("li", ["class": "finding fail"], [Markup("h3", head)])
    }

    private func item(_ finding: Evidence.Finding) -> Markup {
        let result = finding.result
        let head = [PageParts.badge(result.verdict.word), PageParts.name(result.expectation)]
        var parts = [
            Markup("h3", Markup.flags([finding.number]) + head), PageParts.name(result.finding, "p"),
        ]
        if let remedy = result.remedy { parts.append(PageParts.remedy(remedy)) }
        if let packets = evidence.packets(of: result) { parts.append(packets) }
        return Markup("li", ["class": "finding \(result.verdict.rawValue)", "id": "finding-\(finding.number)"], parts)
    }

    /// The passes, folded if there are other findings.
    private var passes: Markup {
        let count = evidence.passes.count
        let summary = Markup("summary", [PageParts.badge("pass"), Markup("span", text: count.of("expectation"))])
        let items = evidence.passes.map { result in
            var parts = [PageParts.name(result.expectation, "b"), PageParts.name(result.finding, "span")]
            if let packets = evidence.packets(of: result, limit: 8) { parts.append(packets) }
            return Markup("li", parts)
        }
        let list = Markup("ul", ["class": "passes"], items)
        guard report.commandVerdict != .fail, evidence.findings.isEmpty else {
            return Markup("details", ["class": "passed"], [summary, list])
        }
        return Markup("details", ["class": "passed", "open": ""], [summary, list])
    }
}
