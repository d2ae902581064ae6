// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// report.html of a measured link.
package struct VerificationPage {
    private let report: VerificationReport
    private static let height = 170.0
    /// The number of points through which a distribution is drawn.
    private static let points = 200

    package init(_ report: VerificationReport) { self.report = report }

    package var text: String {
        let badge = PageParts.badge(report.verdict.uppercased())
        let header = Markup(
            "header",
            [
                PageParts.name(report.profile, "h1"),
                Markup("p", [badge, Markup("span", text: report.sentences.first ?? "")]),
            ]
                + report.sentences.dropFirst().map { Markup("p", ["class": "muted"], text: $0) }
        )
        let legend = Markup(
            "p",
            ["class": "muted"],
            text: "Solid: measured. Dashed: what the model makes of the same packets."
        )
        let repetition = PageParts.repetition("To measure again: ", report.repetition)
        let sections = [header, legend] + report.parts.map(Self.section) + [repetition]
        return Page(title: "\(report.profile), measured", sections: sections, version: report.version).text
    }

    private static func section(_ part: VerificationReport.Part) -> Markup {
        var drawings: [Markup] = []
        if let delays = part.delays, let drawing = distribution(delays, part) { drawings.append(drawing) }
        if let rates = part.rates, let drawing = course(rates, part) { drawings.append(drawing) }
        let rows = part.rows.map { row in
            Markup(
                "tr",
                [Markup("th", ["scope": "row"], text: row.figure)]
                    + [row.asked, row.modelled, row.measured, row.range].map { PageParts.figure($0.isEmpty ? nil : $0) }
                    + [Markup("td", [PageParts.badge(row.verdict)])]
            )
        }
        let heads = PageParts.heads(["Figure", "Asked", "Modelled", "Measured", "Right if", "Verdict"])
        return PageParts.section(part.name, drawings + [PageParts.table("Figures of \(part.name)", [heads] + rows)])
    }

    // MARK: Delays

    /// Draws the cumulative distribution of the delays.
    private static func distribution(
        _ delays: VerificationReport.Pair,
        _ part: VerificationReport.Part
    ) -> Markup? {
        let (measured, modelled) = (delays.measured.sorted(), delays.modelled.sorted())
        guard let first = measured.first, let other = modelled.first else { return nil }
        // A few very late packets would take most of the width: it ends at the 99.5th percentile.
        func maximum(_ values: [Double]) -> Double { values[min(values.count * 995 / 1_000, values.count - 1)] }
        var (low, high) = (min(first, other), max(maximum(measured), maximum(modelled)))
        // A constant delay gets some width, too.
        let minimum = max(high * 0.02, 1)
        if high - low < minimum { (low, high) = (max((low + high - minimum) / 2, 0), (low + high + minimum) / 2) }
        func x(_ delay: Double) -> Double { 1_000 * min(max((delay - low) / (high - low), 0), 1) }
        func path(_ values: [Double]) -> String {
            let places = (0...points).map { share in
                "\(x(values[min(values.count * share / points, values.count - 1)]).figure) \(level(Double(share) / Double(points)).figure)"
            }
            return "M0 \(level(0).figure) L\(places.joined(separator: " L")) L1000 \(level(1).figure)"
        }
        let step = Scale.round((high - low) / 6)
        let ticks = stride(from: (low / step).rounded(.up) * step, through: high, by: step).map { tick in
            (share: x(tick) / 1_000, words: Duration.nanoseconds(Int64(tick * 1e6)).words)
        }
        let shares = [(0.0, "0 %"), (0.5, "50 %"), (1, "100 %")].map { (level: $0.0, words: $0.1) }
        return drawing(
            "Delays, \(part.name): the share of packets that took no longer",
            frame(across: ticks, up: shares) + [
                .shape("high median \(part.direction)", path(measured), height: height),
                .shape("high asked", path(modelled), height: height),
            ]
        )
    }

    // MARK: Rates

    /// Draws the rate in each second, by time.
    private static func course(_ rates: VerificationReport.Pair, _ part: VerificationReport.Part) -> Markup? {
        let count = min(rates.measured.count, rates.modelled.count)
        guard count > 1, let maximum = (rates.measured + rates.modelled).max(), maximum > 0 else { return nil }
        let scale = Scale(maximum * 1.1, count: 3)
        func path(_ values: [Double]) -> String {
            let width = 1_000 / Double(count)
            let steps = values.prefix(count).enumerated().map { second, rate in
                let (start, y) = (Double(second) * width, level(scale.share(rate)).figure)
                return "\(start.figure) \(y) L\((start + width).figure) \(y)"
            }
            return "M\(steps.joined(separator: " L"))"
        }
        let seconds = TimeScale(begin: .zero, end: .seconds(count))
        let ticks = seconds.ticks(8).map { (share: seconds.percent($0) / 100, words: $0.words) }
        let levels = scale.ticks.map { (level: scale.share($0), words: "\($0.prefixed)bit/s") }
        return drawing(
            "Rate, \(part.name): what came in each second",
            frame(across: ticks, up: levels) + [
                .shape("high median \(part.direction)", path(rates.measured), height: height),
                .shape("high asked", path(rates.modelled), height: height),
            ]
        )
    }

    // MARK: Drawing

    /// The position of a share of the height, in pixels from the top.
    private static func level(_ share: Double) -> Double { 8 + (height - 32) * (1 - share) }

    private static func drawing(_ label: String, _ parts: [Markup]) -> Markup {
        Markup(
            "figure",
            [.drawing(height, label: label, parts), Markup("figcaption", ["class": "muted"], text: label)]
        )
    }

    private static func frame(
        across: [(share: Double, words: String)],
        up: [(level: Double, words: String)]
    ) -> [Markup] {
        let lines = up.flatMap { (share, words) -> [Markup] in
            let y = level(share)
            let note = Markup("text", ["class": "note", "x": "2", "y": (y - 3).figure], text: words)
            return [.line("rule", ("0", y.figure), ("100%", y.figure)), note]
        }
        return lines
            + across.map { share, words in
                let anchor = share < 0.03 ? "start" : share > 0.97 ? "end" : "middle"
                let attributes: KeyValuePairs = [
                    "class": "tick", "x": "\((share * 100).figure)%", "y": (height - 6).figure, "text-anchor": anchor,
                ]
                return Markup("text", attributes, text: words)
            }
    }
}
