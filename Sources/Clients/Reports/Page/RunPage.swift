// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import ClientVerdicts
internal import LinkProfiles

/// report.html of one run.
package struct RunPage {
    let report: RunReport

    package init(_ report: RunReport) { self.report = report }

    package var text: String {
        let evidence = Evidence(report)
        var sections = [header] + [FindingsSection(report: report, evidence: evidence).element].compactMap { $0 }
        sections += [TestsSection(report: report).element].compactMap { $0 }
        if let timeline = report.timeline {
            sections.append(TimelineSection(timeline: timeline, evidence: evidence, isBusy: isBusy).element)
        }
        if let output = report.output { sections.append(OutputSection(output: output).element) }
        let counts = PageParts.section("Counted", [PageParts.facts(report.totals.facts)])
        sections.append(Markup("div", ["class": "columns"], [conditions, counts, context].compactMap(\.self)))
        return Page(title: "\(report.word): \(report.title)", sections: sections, version: report.context.version).text
    }

    /// Whether waiting for a processor may have changed a verdict.
    private var isBusy: Bool {
        report.isBusy == true || report.results.contains { $0.verdict == .inconclusive }
    }

    private var header: Markup {
        let sentences =
            ["\(report.outcome.sentence), after \(report.duration.words)."]
            + [report.doubtSentence.map { "\($0)." }].compactMap(\.self)
            + report.clockSentences.map { "Note: \($0)." }
        var header = PageParts.header(
            report.title,
            [PageParts.badge(report.word), PageParts.command(report.context.command, limit: 600)]
        )
        header.append(Markup("p", ["class": "lead"], text: "\(report.overview)."))
        header.append(Markup("p", text: sentences.joined(separator: " ")))
        if !figures.isEmpty { header.append(PageParts.facts(figures).of("figures")) }
        return header
    }

    /// The figures of the run's profiles, by name.
    private var figures: [(name: String, value: String)] {
        var known: Set<String> = []
        let periods = (report.timeline?.periods ?? []).filter { known.insert($0.profile ?? "").inserted }
        return periods.prefix(Self.maximumProfiles).compactMap { period in
            guard let name = period.profile, let words = period.asked.words else { return nil }
            return (name: name.shortened(to: 100), value: words)
        }
    }

    private static let maximumProfiles = 8

    /// The section on the packets that each part of the conditions met; nil if there are no parts.
    private var conditions: Markup? {
        guard !report.conditions.isEmpty else { return nil }
        let rows = report.conditions.prefix(Self.maximumParts).map { each in
            let met =
                each.part.reason.map { [PageParts.badge(each.verdict.word), PageParts.name(" \($0)")] }
                ?? [PageParts.name(each.part.effect ?? "\(each.part.packets)")]
            return Markup("tr", [Markup("td", [PageParts.name(each.part.name)]), Markup("td", met)])
        }
        let table = PageParts.table(
            "Conditions",
            [PageParts.heads(["Part of the conditions", "Packets that it met"])] + rows
        )
        return PageParts.section("Conditions", [table])
    }

    private static let maximumParts = 200

    private var context: Markup {
        let conditions = report.context.conditions.map { name, value in
            (name: name.prefix(1).uppercased() + name.dropFirst(), value: value)
        }
        let line = Markup("p", [PageParts.command(report.context.repetition)])
        return PageParts.section("The run", [PageParts.facts(conditions + [("Begin", report.beginText)]), line])
    }
}
