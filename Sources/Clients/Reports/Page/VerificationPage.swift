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
        // The badge has the verdict.
        let sentence = report.sentences.first ?? ""
        let isNamed = sentence.hasPrefix("\(report.verdict): ")
        let words = isNamed ? String(sentence.dropFirst(report.verdict.count + 2)) : sentence
        let header = Markup(
            "header",
            [
                PageParts.name(report.profile, "h1"),
                Markup(
                    "p",
                    ["class": "lead"],
                    [PageParts.badge(report.verdict.uppercased()), Markup("span", text: words)]
                ),
            ]
                + report.sentences.dropFirst().map { Markup("p", ["class": "muted"], text: $0) }
        )
        let legend = Legend.list([
            Legend.item("measured, to the client", [Legend.line("high median downlink", (4, 11), (52, 11))]),
            Legend.item("measured, to the server", [Legend.line("high median uplink", (4, 11), (52, 11))]),
            Legend.item("the same packets by the model", [Legend.line("high asked", (4, 11), (52, 11))]),
        ])
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
                [Markup("td", [PageParts.badge(row.verdict)]), Markup("th", ["scope": "row"], text: row.figure)]
                    + [row.asked, row.modelled, row.measured, row.range].map { PageParts.figure($0.isEmpty ? nil : $0) }
            )
        }
        let heads = PageParts.heads(["Verdict", "Figure", "Asked", "Modelled", "Measured", "Right if"])
        let table = PageParts.table("Figures of \(part.name)", [heads] + rows)
        return PageParts.section(part.name, [Markup("div", ["class": "pair"], drawings + [table])])
    }

    // MARK: Delays

    /// Draws the cumulative distribution of the delays.
    private static func distribution(
        _ delays: VerificationReport.Pair,
        _ part: VerificationReport.Part
    ) -> Markup? {
        let (measured, modelled) = (delays.measured.sorted(), delays.modelled.sorted())
        guard !measured.isEmpty, !modelled.isEmpty else { return nil }
        // A few very late packets would take most of the width.
        let ends = [measured, modelled].map(Self.usual)
        var (low, high) = (ends.map(\.lowerBound).min() ?? 0, ends.map(\.upperBound).max() ?? 0)
        // A constant delay gets some width, too.
        let minimum = max(high * 0.005, 0.1)
        if high - low < minimum { (low, high) = (max((low + high - minimum) / 2, 0), (low + high + minimum) / 2) }
        func x(_ delay: Double) -> Double { 1_000 * min(max((delay - low) / (high - low), 0), 1) }
        func path(_ values: [Double]) -> String {
            let places = (0...points).map { point in
                let value = values[min(values.count * point / points, values.count - 1)]
                return "\(x(value).figure) \(level(Double(point) / Double(points)).figure)"
            }
            return "M0 \(level(0).figure) L\(places.joined(separator: " L")) L1000 \(level(1).figure)"
        }
        let step = Scale.round((high - low) / 6)
        let ticks = stride(from: (low / step).rounded(.up) * step, through: high, by: step).map { tick in
            // With as many digits as tell the ticks apart.
            (share: x(tick) / 1_000, words: high < 1_000 ? "\(tick.figure) ms" : "\((tick / 1_000).figure) s")
        }
        let shares = [(0.0, "0 %"), (0.5, "50 %"), (1, "100 %")].map { (level: $0.0, words: $0.1) }
        let late = measured.count { $0 > high }
        let longest = Duration.nanoseconds(Int64((measured.last ?? 0) * 1e6)).words
        let note = late > 0 ? "; \(late.of("packet")) took longer, at most \(longest)" : ""
        return drawing(
            "Share of the packets that took no longer, by delay\(note)",
            "Delays, \(part.name)",
            frame(across: ticks, up: shares) + [
                .shape("high median \(part.direction)", path(measured), height: height),
                .shape("high asked", path(modelled), height: height),
            ]
        )
    }

    /// The range that is drawn of delays in order: all of them, but for those far from the middle 90 %.
    private static func usual(_ delays: [Double]) -> ClosedRange<Double> {
        func percentile(_ share: Int) -> Double { delays[min(delays.count * share / 100, delays.count - 1)] }
        let (lower, upper) = (percentile(5), percentile(95))
        let margin = (upper - lower) / 2
        return max(delays[0], lower - margin)...min(delays[delays.count - 1], upper + margin)
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
            "Rate in each second, by time",
            "Rate, \(part.name)",
            frame(across: ticks, up: levels) + [
                .shape("high median \(part.direction)", path(rates.measured), height: height),
                .shape("high asked", path(rates.modelled), height: height),
            ]
        )
    }

    // MARK: Drawing

    /// The position of a share of the height, in pixels from the top.
    private static func level(_ share: Double) -> Double { 8 + (height - 32) * (1 - share) }

    private static func drawing(_ caption: String, _ label: String, _ parts: [Markup]) -> Markup {
        let name = Markup("figcaption", ["class": "muted"], text: caption)
        return Markup("figure", [name, .drawing(height, label: "\(label): \(caption)", parts)])
    }

    private static func frame(
        across: [(share: Double, words: String)],
        up: [(level: Double, words: String)]
    ) -> [Markup] {
        Markup.scale(up.map { (level($0.level), $0.words) }, height: height)
            + across.map { share, words in
                let anchor = share < 0.03 ? "start" : share > 0.97 ? "end" : "middle"
                let attributes: KeyValuePairs = [
                    "class": "tick", "x": "\((share * 100).figure)%", "y": (height - 6).figure, "text-anchor": anchor,
                ]
                return Markup("text", attributes, text: words)
            }
    }
}
