// SPDX-License-Identifier: Apache-2.0

/// A row of a timeline: its name and some facts at the left, its plot at the right; above each other on a narrow screen.
struct TimelineRow {
    let name: String
    let facts: [String]
    let plot: Markup
    /// A class of CSS for the whole row.
    var kind = ""

    init(_ name: String, _ facts: [String], _ plot: Markup) {
        (self.name, self.facts, self.plot) = (name, facts, plot)
    }

    var element: Markup {
        var head = Markup("div", ["class": "name"], [Markup("h3", text: name.shortened(to: 200))])
        if !facts.isEmpty {
            head.content.append(.element(Markup("p", text: facts.joined(separator: ", ").shortened(to: 400))))
        }
        return Markup("div", ["class": kind.isEmpty ? "row" : "row \(kind)"], [head, plot])
    }
}
