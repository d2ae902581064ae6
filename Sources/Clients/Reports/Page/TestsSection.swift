// SPDX-License-Identifier: Apache-2.0

internal import ClientVerdicts

/// The verdicts of tests inside a run, as a table.
struct TestsSection {
    let report: RunReport

    /// The maximum number of verdicts that are shown.
    private static let limit = 500
    /// The number of passed verdicts above which their table is folded.
    private static let longest = 30

    /// The section; nil without tests inside the run.
    var element: Markup? {
        guard let sentence = report.testSentence else { return nil }
        var parts = [Markup("p", text: "\(sentence). How their runner exited is the run's verdict.")]
        let all = report.testResults
        let shown = all.prefix(Self.limit)
        if shown.count < all.count {
            parts.append(
                Markup("p", text: "The first \(shown.count) of \(all.count) verdicts are shown, failures first.")
            )
        }
        let passes = shown.drop { $0.result.verdict != .pass }
        let others = shown[..<passes.startIndex]
        if !others.isEmpty { parts.append(table("Tests that did not pass", others)) }
        if !passes.isEmpty {
            let table = table("Tests that passed", passes)
            let isLong = passes.count > Self.longest
            parts.append(isLong ? Markup("details", [Markup("summary", text: "Tests that passed"), table]) : table)
        }
        return PageParts.section("Verdicts of tests", parts)
    }

    private func table(
        _ name: String,
        _ verdicts: ArraySlice<(test: TestVerdicts, result: RunReport.Result)>
    ) -> Markup {
        let heads = PageParts.heads(["Verdict", "Test", "Expectation", "Finding", "Packets"])
        return PageParts.table(name, [heads] + verdicts.map(row))
    }

    private func row(_ test: TestVerdicts, _ result: RunReport.Result) -> Markup {
        var finding = [PageParts.name(result.finding, "span")]
        if let remedy = result.remedy { finding.append(PageParts.remedy(remedy)) }
        return Markup(
            "tr",
            [
                Markup("td", [PageParts.badge(result.verdict.word)]),
                Markup("td", [PageParts.name(report.name(of: test))]),
                Markup("td", [PageParts.name(result.expectation)]),
                Markup("td", finding),
                Markup("td", text: result.packetList(limit: 8) ?? ""),
            ]
        )
    }
}
