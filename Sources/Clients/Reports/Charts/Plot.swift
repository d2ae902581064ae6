// SPDX-License-Identifier: Apache-2.0

/// The drawing surface of one row of a timeline: as wide as its column, whatever that is, since its horizontal positions are
/// per cent; `height` pixels high.
struct Plot {
    let time: TimeScale
    let height: Double
    private var elements: [Markup] = []
    /// Above all others.
    private var notes: [Markup] = []

    init(_ time: TimeScale, height: Double) { (self.time, self.height) = (time, height) }

    /// The plot with what a screen reader says of it, and what is shown where a pointer rests on none of its elements.
    func element(label: String, title: String? = nil) -> Markup {
        .drawing(height, label: label, title: title, elements + notes)
    }

    /// The plot as a row.
    ///
    /// - Parameter label: what a screen reader says of it; nil for its name and the facts.
    func row(_ name: String, _ facts: [String] = [], label: String? = nil) -> TimelineRow {
        let label = label ?? "\(name): \(facts.joined(separator: ", "))"
        return TimelineRow(name, facts, element(label: label.shortened(to: 2000)))
    }

    /// The position of a share of the height, in pixels from the top: lines are drawn whole at both ends.
    func level(of share: Double) -> Double { (height - 1) * (1 - share) + 0.5 }

    /// A rectangle from one time to another; `title` is shown where a pointer rests on it.
    mutating func bar(
        _ kind: String,
        _ begin: Duration,
        _ end: Duration,
        top: Double,
        height: Double,
        title: String? = nil
    ) {
        let attributes: KeyValuePairs = [
            "class": kind, "x": time.position(begin), "y": top.figure, "width": time.width(begin, end),
            "height": height.figure,
        ]
        elements.append(Markup("rect", attributes).titled(title))
    }

    /// An upright line at a time.
    mutating func tick(_ kind: String, _ moment: Duration, top: Double, height: Double, title: String? = nil) {
        let x = time.position(moment)
        elements.append(.line(kind, (x, top.figure), (x, (top + height).figure)).titled(title))
    }

    /// A level line from one time to another.
    mutating func level(_ kind: String, _ begin: Duration, _ end: Duration, at height: Double) {
        elements.append(.line(kind, (time.position(begin), height.figure), (time.position(end), height.figure)))
    }

    /// A level line across the plot for each tick of a scale, with its words.
    mutating func scale(_ ticks: [(share: Double, words: String)]) {
        for (share, words) in ticks {
            let level = level(of: share)
            self.level("rule", time.begin, time.end, at: level)
            let base = level > height - 12 ? level - 3 : level + 10
            notes.append(Markup("text", ["class": "note", "x": "2", "y": base.figure], text: words))
        }
    }

    /// A sign at a time, with its middle there, or beside it: after it where there is room.
    mutating func sign(
        _ kind: String,
        _ character: String,
        _ moment: Duration,
        base: Double,
        isBeside: Bool = false,
        title: String? = nil
    ) {
        let anchor = isBeside ? time.percent(moment) < 95 ? "start" : "end" : "middle"
        let attributes: KeyValuePairs = [
            "class": kind, "x": time.position(moment), "y": base.figure, "text-anchor": anchor,
        ]
        elements.append(Markup("text", attributes, text: character).titled(title))
    }

    /// Text that begins at a time and is cut where another begins.
    mutating func words(_ text: String, _ begin: Duration, to end: Duration, base: Double) {
        let words = Markup("text", ["class": "words", "x": "4", "y": base.figure], text: text)
        let attributes: KeyValuePairs = [
            "x": time.position(begin), "y": "0", "width": time.width(begin, end), "height": height.figure,
            "class": "clip",
        ]
        elements.append(Markup("svg", attributes, [words]))
    }

    /// Shapes in coordinates of their own, 0 to 1000 across the whole width, and pixels from the top.
    mutating func shape(_ kind: String, _ path: String) {
        guard !path.isEmpty else { return }
        elements.append(.shape(kind, path, height: height))
    }
}

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
        if !facts.isEmpty { head.append(Markup("p", text: facts.joined(separator: ", ").shortened(to: 400))) }
        return Markup("div", ["class": kind.isEmpty ? "row" : "row \(kind)"], [head, plot])
    }
}

extension Markup {
    /// A drawing of a page's or a column's whole width, with what a screen reader says of it.
    static func drawing(_ height: Double, label: String, title: String? = nil, _ elements: [Markup]) -> Markup {
        let attributes: KeyValuePairs = [
            "class": "plot", "width": "100%", "height": height.figure, "role": "img", "aria-label": label,
        ]
        var drawing = Markup("svg", attributes).titled(title)
        for element in elements { drawing.append(element) }
        return drawing
    }

    /// A shape in coordinates of its own, 0 to 1000 across the whole width, and pixels from the top.
    static func shape(_ kind: String, _ path: String, height: Double) -> Markup {
        let shape = Markup("path", ["class": kind, "d": path, "vector-effect": "non-scaling-stroke"])
        let attributes: KeyValuePairs = [
            "x": "0", "y": "0", "width": "100%", "height": height.figure, "viewBox": "0 0 1000 \(height.figure)",
            "preserveAspectRatio": "none",
        ]
        return Markup("svg", attributes, [shape])
    }

    /// A line of a drawing from one point to another.
    static func line(_ kind: String, _ start: (x: String, y: String), _ end: (x: String, y: String)) -> Markup {
        Markup("line", ["class": kind, "x1": start.x, "x2": end.x, "y1": start.y, "y2": end.y])
    }
}
