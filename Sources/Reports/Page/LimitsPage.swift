// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// report.html of a search for limits.
package struct LimitsPage {
    let report: LimitsReport

    /// Prepares the page.
    package init(_ report: LimitsReport) { self.report = report }

    /// The page as text.
    package var text: String {
        let header = Markup(
            "header",
            [:],
            [Markup("h1", text: "Limits"), Markup("p", ["class": "command"], [PageParts.command(report.command)])]
        )
        let repetition = [Markup("span", text: "To repeat the search: "), PageParts.command(report.repetition)]
        let sections = [header] + report.limits.map(Self.section) + [Markup("p", [:], repetition)]
        return Page(title: "Limits", sections: sections, version: report.version).text
    }

    private static func section(_ limit: LimitsReport.Limit) -> Markup {
        let points = limit.search.points(of: limit.range)
        let rows = points.map { point in
            Markup(
                "tr",
                [:],
                [
                    Markup("th", ["scope": "row"], text: point.value),
                    Markup("td", text: "\(point.survived) of \(point.runs)"),
                ]
            )
        }
        let head = Markup("tr", [:], ["Value", "Survived"].map { Markup("th", ["scope": "col"], text: $0) })
        let details = Markup(
            "details",
            [:],
            [Markup("summary", text: "The runs as a table"), Markup("table", [:], [head] + rows)]
        )
        let words = """
            Dots: the share of runs that survived, with its 95 % interval. Box: where the limit is, with a confidence of \
            95 %. Line: the best estimate.
            """
        return RunPage.section(
            "The worst \(limit.range) survived",
            [
                Markup("p", text: limit.sentence), curve(limit, points), Markup("p", ["class": "muted"], text: words),
                details,
            ]
        )
    }

    /// The share of survivors by the value.
    private static func curve(_ limit: LimitsReport.Limit, _ points: [LimitsReport.Limit.Point]) -> Markup {
        let search = limit.search
        let height = 180.0
        let plot = { (share: Double) in 10 + (height - 40) * (1 - share) }
        // The ends of the range stand a little inside, so that dots there are whole.
        let across = { (place: Double) in (4 + 92 * min(max(place, 0), 1)).figure + "%" }
        var parts: [Markup] = []
        if search.lower != nil || search.upper != nil {
            let (lower, upper) = (
                search.lower.map(SurvivalSearch.share) ?? 0, search.upper.map(SurvivalSearch.share) ?? 1
            )
            let width = (92 * max(upper - lower, 0)).figure + "%"
            let height = (plot(0) - plot(1)).figure
            parts.append(
                Markup(
                    "rect",
                    ["class": "interval", "x": across(lower), "y": plot(1).figure, "width": width, "height": height]
                )
            )
        }
        for (share, label) in [(0.0, "0 %"), (0.5, "50 %"), (1.0, "100 %")] {
            let level = plot(share).figure
            parts.append(Markup("line", ["class": "rule", "x1": "0", "x2": "100%", "y1": level, "y2": level]))
            parts.append(Markup("text", ["class": "note", "x": "2", "y": (plot(share) - 3).figure], text: label))
        }
        if !search.survivesEverything, !search.survivesNothing {
            let place = across(SurvivalSearch.share(search.estimate))
            parts.append(
                Markup("line", ["class": "limit", "x1": place, "x2": place, "y1": "10", "y2": plot(0).figure])
            )
        }
        for point in points {
            let interval = WilsonInterval(point.survived, of: point.runs)
            guard let share = interval.share else { continue }
            let place = across(point.share)
            let title = "\(point.value): \(point.survived) of \(point.runs) survived"
            let bounds = (plot(interval.range.lowerBound).figure, plot(interval.range.upperBound).figure)
            parts.append(
                Markup("line", ["class": "survived", "x1": place, "x2": place, "y1": bounds.0, "y2": bounds.1])
            )
            parts.append(
                Markup(
                    "circle",
                    ["class": "share", "cx": place, "cy": plot(share).figure, "r": "5"],
                    [Markup("title", text: title)]
                )
            )
        }
        for (share, anchor) in [(0, "start"), (0.5, "middle"), (1, "end")] {
            parts.append(
                Markup(
                    "text",
                    ["class": "tick", "x": across(share), "y": (height - 8).figure, "text-anchor": anchor],
                    text: limit.range.value(at: share)
                )
            )
        }
        let label = "Share of survivors by \(limit.range): \(limit.sentence)".shortened(to: 1000)
        return Markup(
            "svg",
            ["class": "plot", "width": "100%", "height": height.figure, "role": "img", "aria-label": label],
            parts
        )
    }
}
