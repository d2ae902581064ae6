// SPDX-License-Identifier: Apache-2.0

/// The section of a page on the share of a population that a client survives.
struct CoverageSection {
    let coverage: Coverage
    /// The maximum number of networks that are drawn; the table has more.
    private static let limit = 40
    private static let (row, top, bar) = (34.0, 18.0, 11.0)
    /// The room between the population and its networks.
    private static let gap = 8.0
    /// The number of columns of a name. A telephone has room for about 50 in all.
    private static let longestName = 24.0

    var markup: Markup {
        let sentence = coverage.sentence
        let lead = Markup("p", ["class": "lead"], text: "\(sentence.prefix(1).uppercased())\(sentence.dropFirst()).")
        let source = coverage.source.map { [Markup("p", ["class": "muted"], [PageParts.name("Shares: \($0)")])] } ?? []
        let longest = coverage.networks.map(\.weight).max() ?? 1
        let scale = "A network's bar is as long as its share; the longest has \(longest.percent)."
        let caption = Markup("p", ["class": "muted"], text: scale)
        let parts = [lead, drawing(longest: longest), Self.legend, caption, table]
        return PageParts.section("Coverage", parts + source)
    }

    /// The networks that cost most first, then the largest.
    private var ordered: [Coverage.Network] {
        let others = coverage.networks.filter { $0.decided > 0 && $0.lost == 0 }.sorted { $0.weight > $1.weight }
        return coverage.costs + others
    }

    /// A bar for the population, and one for each network, filled by what survives. The networks' bars are as long as
    /// their shares, the `longest` as the drawing.
    private func drawing(longest: Double) -> Markup {
        let shown = ordered.prefix(Self.limit)
        let (least, most) = (coverage.share.lowerBound, coverage.share.upperBound)
        let result = coverage.isConclusive ? least.percent : "\(least.percent) to \(most.percent)"
        var parts = Self.labels(coverage.name, result, at: 0)
        parts += Self.bar(length: 1, survived: least, lost: 1 - most, at: 0)
        if let interval = coverage.interval {
            let level = (Self.top + Self.bar + 4).figure
            let ends = (Self.position(interval.lowerBound), Self.position(interval.upperBound))
            let title = "95 % interval: \(interval.lowerBound.percent) to \(interval.upperBound.percent)"
            parts.append(.line("survived", (ends.0, level), (ends.1, level)).titled(title))
        }
        for (index, network) in shown.enumerated() {
            let (y, length) = (Double(index + 1) * Self.row + Self.gap, network.weight / longest)
            let survived = network.decided > 0 ? Double(network.survived) / Double(network.decided) : 0
            let lost = network.decided > 0 ? length * (1 - survived) : 0
            parts += Self.labels(network.name, "\(network.weight.percent): \(network.result)", at: y)
            parts += Self.bar(length: length, survived: length * survived, lost: lost, at: y)
        }
        let height = Double(shown.count + 1) * Self.row + Self.gap
        return .drawing(height, label: coverage.sentence.shortened(to: 1000), parts)
    }

    private static func position(_ share: Double) -> String { (min(max(share, 0), 1) * 100).figure + "%" }

    /// A name at the left end and figures at the right end, above a bar.
    private static func labels(_ name: String, _ figures: String, at y: Double) -> [Markup] {
        let count = Double(name.unicodeScalars.count)
        let room = name.columns > longestName ? longestName * count / name.columns : count
        let title = name.shortened(to: max(Int(room), 1))
        return [
            Markup("text", ["x": "0", "y": (y + 12).figure], text: title).titled(title == name ? nil : name),
            Markup("text", ["class": "note", "x": "100%", "y": (y + 12).figure, "text-anchor": "end"], text: figures),
        ]
    }

    /// A bar: what survives at its full height, what is lost as a stripe, what is not known as its outline.
    private static func bar(length: Double, survived: Double, lost: Double, at y: Double) -> [Markup] {
        func rect(_ kind: String, _ start: Double, _ length: Double, _ inset: Double) -> Markup {
            let attributes: KeyValuePairs = [
                "class": kind, "x": position(start), "y": (y + top + inset).figure, "width": position(length),
                "height": (bar - 2 * inset).figure,
            ]
            return Markup("rect", attributes)
        }
        let filled = [rect("share", 0, survived, 0), rect("drop", length - lost, lost, 4)]
        return [rect("period", 0, length, 0)] + zip(filled, [survived, lost]).filter { $0.1 > 0 }.map(\.0)
    }

    private static var legend: Markup {
        Legend.list([
            Legend.item("survives", [Legend.bar("share", 4, 52, 5, 11)]),
            Legend.item(
                "does not",
                [Legend.bar("period", 4, 52, 5, 11), Legend.bar("drop", 4, 52, 9, 3)]
            ),
            Legend.item("no decided run", [Legend.bar("period", 4, 52, 5, 11)]),
            Legend.item("the 95 % interval of the whole", [Legend.line("survived", (4, 11), (52, 11))]),
        ])
    }

    private var table: Markup {
        let rows = ordered.map { network in
            let head = Markup("th", ["scope": "row"], [PageParts.name(network.name)])
            let lost = network.decided > 0 ? network.lost.percent : nil
            return Markup(
                "tr",
                [
                    head, PageParts.figure(network.weight.percent), PageParts.figure(network.result),
                    PageParts.figure(lost),
                ]
            )
        }
        let table = PageParts.table("Networks", [PageParts.heads(["Network", "Share", "Survived", "Lost"])] + rows)
        return Markup("details", [Markup("summary", text: "The networks as a table"), table])
    }
}
