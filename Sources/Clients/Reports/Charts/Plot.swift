// SPDX-License-Identifier: Apache-2.0

/// The drawing surface of one row of a timeline. It is `height` pixels high, and as wide as its column: horizontal
/// positions are in per cent.
struct Plot {
    let time: TimeScale
    let height: Double
    private var elements: [Markup] = []
    /// Elements that are drawn above all others.
    private var notes: [Markup] = []

    init(_ time: TimeScale, height: Double) { (self.time, self.height) = (time, height) }

    /// The plot as an element. `label` is read by screen readers; `title` is shown when the pointer is on none of the
    /// plot's elements.
    func element(label: String, title: String? = nil) -> Markup {
        .drawing(height, label: label, title: title, elements + notes)
    }

    /// The plot as a row.
    ///
    /// - Parameter label: the text for screen readers; nil for the row's name and facts.
    func row(_ name: String, _ facts: [String] = [], label: String? = nil) -> TimelineRow {
        let label = label ?? "\(name): \(facts.joined(separator: ", "))"
        return TimelineRow(name, facts, element(label: label.shortened(to: 2000)))
    }

    /// The position of a share of the height, in pixels from the top. Lines at 0 and at 1 are fully visible.
    func level(of share: Double) -> Double { (height - 1) * (1 - share) + 0.5 }

    /// Adds a rectangle from one time to another; `title` is shown when the pointer is on it.
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

    /// Adds a vertical line at a time.
    mutating func tick(_ kind: String, _ moment: Duration, top: Double, height: Double, title: String? = nil) {
        let x = time.position(moment)
        elements.append(.line(kind, (x, top.figure), (x, (top + height).figure)).titled(title))
    }

    /// Adds a horizontal line from one time to another.
    mutating func level(_ kind: String, _ begin: Duration, _ end: Duration, at height: Double) {
        elements.append(.line(kind, (time.position(begin), height.figure), (time.position(end), height.figure)))
    }

    /// Adds a horizontal line across the plot for each tick of a scale, with the tick's label.
    mutating func scale(_ ticks: [(share: Double, words: String)]) {
        for (share, words) in ticks {
            let level = level(of: share)
            self.level("rule", time.begin, time.end, at: level)
            let base = level > height - 12 ? level - 3 : level + 10
            notes.append(Markup("text", ["class": "note", "x": "2", "y": base.figure], text: words))
        }
    }

    /// Adds a sign centred on a time or, with `isBeside`, after it, or before it at the right edge.
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

    /// Adds text that starts at `begin` and is clipped at `end`.
    mutating func words(_ text: String, _ begin: Duration, to end: Duration, base: Double) {
        let words = Markup("text", ["class": "words", "x": "4", "y": base.figure], text: text)
        let attributes: KeyValuePairs = [
            "x": time.position(begin), "y": "0", "width": time.width(begin, end), "height": height.figure,
            "class": "clip",
        ]
        elements.append(Markup("svg", attributes, [words]))
    }

    /// Adds shapes. The coordinates of `path` are 0 to 1000 across the whole width, and pixels from the top.
    mutating func shape(_ kind: String, _ path: String) {
        guard !path.isEmpty else { return }
        elements.append(.shape(kind, path, height: height))
    }
}

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

extension Markup {
    /// A drawing with the width of its page or column; `label` is read by screen readers.
    static func drawing(_ height: Double, label: String, title: String? = nil, _ elements: [Markup]) -> Markup {
        let attributes: KeyValuePairs = [
            "class": "plot", "width": "100%", "height": height.figure, "role": "img", "aria-label": label,
        ]
        var drawing = Markup("svg", attributes).titled(title)
        for element in elements { drawing.append(element) }
        return drawing
    }

    /// A shape. The coordinates of `path` are 0 to 1000 across the whole width, and pixels from the top.
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
