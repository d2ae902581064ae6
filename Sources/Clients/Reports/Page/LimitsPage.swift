// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles
internal import Statistics

/// report.html of a search for limits.
package struct LimitsPage {
    let report: LimitsReport
    private static let height = 280.0

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
        return PageParts.section(
            "\(axis(limit.range))",
            [
                Markup(
                    "p",
                    ["class": "lead"],
                    text: "\(limit.sentence.prefix(1).uppercased() + limit.sentence.dropFirst())."
                ), figure(limit, points), legend,
                Markup("details", [Markup("summary", text: "The runs as a table"), table]),
            ]
        )
    }

    private static var legend: Markup {
        Legend.list([
            Legend.item(
                "runs that survived, with the 95 % interval of their share",
                [
                    Legend.line("survived", (28, 1), (28, 21)),
                    Markup("circle", ["class": "share", "cx": "28", "cy": "9", "r": "5"]),
                ]
            ),
            Legend.item("the best estimate of the limit", [Legend.line("limit", (28, 0), (28, 22))]),
            Legend.item("the limit, with a confidence of 95 %", [Legend.bar("interval", 8, 48, 2, 18)]),
        ])
    }

    /// The name of the figure: "Delay, each way".
    private static func axis(_ range: FigureRange) -> String {
        let names: [FigureRange.Figure: String] = [
            .rate: "Rate", .delay: "Delay", .jitter: "Jitter", .loss: "Lost packets", .duplicate: "Duplicated packets",
            .corrupt: "Corrupted packets",
        ]
        let parts = ["downlink": "to the client", "uplink": "to the server", "dns": "of DNS queries"]
        let part = range.parts.count == 1 ? parts[range.parts[0]] ?? range.parts[0] : "each way"
        return "\(names[range.figure] ?? range.figure.rawValue), \(part)"
    }

    private static func figure(_ limit: LimitsReport.Limit, _ points: [LimitsReport.Limit.Point]) -> Markup {
        let name = Markup("figcaption", ["class": "muted"], text: "Share of the runs that survived")
        return Markup("figure", [name, curve(limit, points)])
    }

    /// The position of a share of survivors, in pixels from the top.
    private static func level(_ share: Double) -> Double { 24 + (height - 72) * (1 - share) }

    /// The horizontal position of a share of the range. Both ends lie inside the drawing, so that dots there are fully
    /// visible.
    private static func across(_ share: Double) -> Double { 5 + 90 * min(max(share, 0), 1) }

    private static func position(_ share: Double) -> String { across(share).figure + "%" }

    /// Draws the share of survivors by the figure's value.
    private static func curve(_ limit: LimitsReport.Limit, _ points: [LimitsReport.Limit.Point]) -> Markup {
        let search = limit.search
        var parts: [Markup] = []
        if search.lower != nil || search.upper != nil {
            let lower = search.lower.map(SurvivalSearch.share) ?? 0
            let upper = search.upper.map(SurvivalSearch.share) ?? 1
            let width = max(across(upper) - across(lower), 0).figure + "%"
            let (top, height) = (level(1).figure, (level(0) - level(1)).figure)
            parts.append(
                Markup(
                    "rect",
                    ["class": "interval", "x": position(lower), "y": top, "width": width, "height": height]
                )
            )
        }
        parts += Markup.scale([(level(0), "0 %"), (level(0.5), "50 %"), (level(1), "100 %")], height: height)
        for point in points {
            let interval = WilsonInterval(point.survived, of: point.runs)
            guard let share = interval.share else { continue }
            let x = position(point.share)
            let ends = (level(interval.range.lowerBound).figure, level(interval.range.upperBound).figure)
            parts.append(.line("survived", (x, ends.0), (x, ends.1)))
            let dot = Markup("circle", ["class": "share", "cx": x, "cy": level(share).figure, "r": "5"])
            parts.append(dot.titled("\(point.value): \(point.survived) of \(point.runs) survived"))
        }
        if !search.survivesEverything, !search.survivesNothing {
            let share = SurvivalSearch.share(search.estimate)
            parts.append(.line("limit", (position(share), "18"), (position(share), level(0).figure)))
            let value = "limit: \(limit.range.value(at: share))"
            parts.append(text("words", value, at: across(share), y: 13))
        }
        for share in [0, 0.25, 0.5, 0.75, 1] {
            let x = position(share)
            parts.append(.line("leader", (x, level(0).figure), (x, (level(0) + 5).figure)))
            parts.append(text("tick", limit.range.value(at: share), at: across(share), y: level(0) + 19))
        }
        parts.append(text("axis", "\(axis(limit.range)): the harsher, the further right", at: 50, y: height - 6))
        let label = "Share of survivors by \(limit.range): \(limit.sentence)".shortened(to: 1000)
        return .drawing(height, label: label, parts)
    }

    /// Text that is centred on a position in per cent.
    private static func text(_ kind: String, _ words: String, at x: Double, y: Double) -> Markup {
        let attributes: KeyValuePairs = [
            "class": kind, "x": x.figure + "%", "y": y.figure, "text-anchor": "middle",
        ]
        return Markup("text", attributes, text: words)
    }
}
