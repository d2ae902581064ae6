// SPDX-License-Identifier: Apache-2.0

internal import LinkProfiles

/// A row of a timeline: its name and some facts on the left, its plot on the right; on a narrow screen, one below the
/// other.
struct TimelineRow {
    let name: String
    let facts: [String]
    let plot: Markup
    /// A CSS class for the whole row.
    var kind = ""

    init(_ name: String, _ facts: [String], _ plot: Markup) {
        (self.name, self.facts, self.plot) = (name, facts, plot)
    }

    var element: Markup {
        var head = Markup("div", ["class": "name"], [Markup("h3", text: name.shortened(to: 200))])
        if !facts.isEmpty { head.append(Markup("p", text: facts.joined(separator: ", ").shortened(to: 400))) }
        return Markup("div", ["class": kind.isEmpty ? "row" : "row \(kind)"], [head, plot])
    }
}

/// A row of one line, whose details a click unfolds.
struct FoldedRow {
    /// The element's ID, to which findings link.
    let id: String
    /// A CSS class for the row.
    let kind: String
    /// The parts of the line, of which the first is the name.
    var line: [Markup]
    let plot: Markup
    let details: [Markup]

    var element: Markup {
        let summary = Markup("summary", [Markup("span", ["class": "name"], line), plot])
        return Markup(
            "details",
            ["class": "row \(kind)", "id": id],
            [summary, Markup("div", ["class": "more"], details)]
        )
    }
}

/// Rows about one kind of thing, below a head with the clock.
struct TimelineGroup {
    let name: String
    let facts: [String]
    /// The name of a folded row, in the plural.
    let things: String
    let rows: [Markup]
    /// The number of rows that are shown; further ones are folded.
    private let limit: Int

    init(_ name: String, _ facts: [String], _ things: String, _ rows: [Markup], limit: Int = 30) {
        (self.name, self.facts, self.things, self.rows, self.limit) = (name, facts, things, rows, limit)
    }

    /// The elements; none without rows.
    func elements(_ time: TimeScale) -> [Markup] {
        guard !rows.isEmpty else { return [] }
        var elements = [Self.clock(name, facts, time)] + rows.prefix(limit)
        let rest = rows.dropFirst(limit)
        if !rest.isEmpty {
            let summary = Markup("summary", text: "\(rest.count) more \(things)")
            elements.append(Markup("details", ["class": "rest"], [summary] + rest))
        }
        return elements
    }

    /// A row with the times of the clock.
    static func clock(_ name: String, _ facts: [String], _ time: TimeScale) -> Markup {
        var plot = Plot(time, height: 18)
        for tick in time.ticks(6) where time.percent(tick) < 97 {
            plot.sign(tick == .zero ? "tick first" : "tick", tick.words, tick, base: 13)
        }
        var row = plot.row(name, facts, label: "Time since the command was started")
        row.kind = "clock"
        return row.element
    }
}
