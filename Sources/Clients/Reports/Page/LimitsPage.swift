// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import Statistics

/// report.html of a search for limits.
package struct LimitsPage {
    let report: LimitsReport
    private static let height = 180.0

    package init(_ report: LimitsReport) { self.report = report }

    package var text: String {
        let header = PageParts.header("Limits", [PageParts.command(report.command)])
        let repetition = PageParts.repetition("To repeat the search: ", report.repetition)
        let sections = [header] + report.limits.map(Self.section) + [repetition]
        return Page(title: "Limits", sections: sections, version: report.version).text
    }

    private static func section(_ limit: LimitsReport.Limit) -> Markup {
        let points = limit.search.points(of: limit.range)
        let rows = points.map { point in
            let survived = Markup("td", text: "\(point.survived) of \(point.runs)")
            return Markup("tr", [Markup("th", ["scope": "row"], text: point.value), survived])
        }
        let table = Markup("table", [PageParts.heads(["Value", "Survived"])] + rows)
        let words = """
            Dots: the share of runs that survived, with its 95 % interval. Box: where the limit is, with a confidence of \
            95 %. Line: the best estimate.
            """
        return PageParts.section(
            "The worst \(limit.range) survived",
            [
                Markup("p", text: limit.sentence), curve(limit, points), Markup("p", ["class": "muted"], text: words),
                Markup("details", [Markup("summary", text: "The runs as a table"), table]),
            ]
        )
    }

    /// The position of a share of survivors, in pixels from the top.
    private static func level(_ share: Double) -> Double { 10 + (height - 40) * (1 - share) }

    /// The horizontal position of a share of the range. Both ends lie inside the drawing, so that dots there are fully
    /// visible.
    private static func across(_ share: Double) -> String { (4 + 92 * min(max(share, 0), 1)).figure + "%" }

    /// Draws the share of survivors by the figure's value.
    private static func curve(_ limit: LimitsReport.Limit, _ points: [LimitsReport.Limit.Point]) -> Markup {
        let search = limit.search
        var parts: [Markup] = []
        if search.lower != nil || search.upper != nil {
            let lower = search.lower.map(SurvivalSearch.share) ?? 0
            let upper = search.upper.map(SurvivalSearch.share) ?? 1
            let width = (92 * max(upper - lower, 0)).figure + "%"
            let (top, height) = (level(1).figure, (level(0) - level(1)).figure)
            parts.append(
                Markup("rect", ["class": "interval", "x": across(lower), "y": top, "width": width, "height": height])
            )
        }
        for (share, label) in [(0.0, "0 %"), (0.5, "50 %"), (1.0, "100 %")] {
            parts.append(.line("rule", ("0", level(share).figure), ("100%", level(share).figure)))
            parts.append(Markup("text", ["class": "note", "x": "2", "y": (level(share) - 3).figure], text: label))
        }
        if !search.survivesEverything, !search.survivesNothing {
            let x = across(SurvivalSearch.share(search.estimate))
            parts.append(.line("limit", (x, "10"), (x, level(0).figure)))
        }
        for point in points {
            let interval = WilsonInterval(point.survived, of: point.runs)
            guard let share = interval.share else { continue }
            let x = across(point.share)
            let ends = (level(interval.range.lowerBound).figure, level(interval.range.upperBound).figure)
            parts.append(.line("survived", (x, ends.0), (x, ends.1)))
            let dot = Markup("circle", ["class": "share", "cx": x, "cy": level(share).figure, "r": "5"])
            parts.append(dot.titled("\(point.value): \(point.survived) of \(point.runs) survived"))
        }
        for (share, anchor) in [(0, "start"), (0.5, "middle"), (1, "end")] {
            let (x, y, value) = (across(share), (height - 8).figure, limit.range.value(at: share))
            parts.append(Markup("text", ["class": "tick", "x": x, "y": y, "text-anchor": anchor], text: value))
        }
        let label = "Share of survivors by \(limit.range): \(limit.sentence)".shortened(to: 1000)
        return .drawing(height, label: label, parts)
    }
}
