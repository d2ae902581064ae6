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
        var plot = Markup(
            "svg",
            ["class": "plot", "width": "100%", "height": height.figure, "role": "img", "aria-label": label]
        )
        .titled(title)
        plot.content += (elements + notes).map { Markup.Content.element($0) }
        return plot
    }

    /// The plot as a row.
    ///
    /// - Parameter label: what a screen reader says of it; nil for its name and the facts.
    func row(_ name: String, _ facts: [String] = [], label: String? = nil) -> TimelineRow {
        let label = label ?? "\(name): \(facts.joined(separator: ", "))"
        return TimelineRow(name, facts, element(label: label.shortened(to: 2000)))
    }

    /// Where a share of the height stands, in pixels from the top: lines are drawn whole at both ends.
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
        let (x, width) = (time.position(begin), time.width(begin, end))
        let bar = Markup(
            "rect",
            ["class": kind, "x": x, "y": top.figure, "width": width, "height": height.figure]
        )
        elements.append(bar.titled(title))
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
        let sign = Markup(
            "text",
            ["class": kind, "x": time.position(moment), "y": base.figure, "text-anchor": anchor],
            text: character
        )
        elements.append(sign.titled(title))
    }

    /// Text that begins at a time and is cut where another begins.
    mutating func words(_ kind: String, _ text: String, _ begin: Duration, to end: Duration, base: Double) {
        elements.append(
            Markup(
                "svg",
                [
                    "x": time.position(begin), "y": "0", "width": time.width(begin, end), "height": height.figure,
                    "class": "clip",
                ],
                [Markup("text", ["class": kind, "x": "4", "y": base.figure], text: text)]
            )
        )
    }

    /// Shapes in coordinates of their own, 0 to 1000 across the whole width, and pixels from the top.
    mutating func shape(_ kind: String, _ path: String) {
        guard !path.isEmpty else { return }
        elements.append(
            Markup(
                "svg",
                [
                    "x": "0", "y": "0", "width": "100%", "height": height.figure,
                    "viewBox": "0 0 1000 \(height.figure)", "preserveAspectRatio": "none",
                ],
                [Markup("path", ["class": kind, "d": path, "vector-effect": "non-scaling-stroke"])]
            )
        )
    }
}

extension Markup {
    /// A line of a drawing from one point to another.
    static func line(_ kind: String, _ start: (x: String, y: String), _ end: (x: String, y: String)) -> Markup {
        Markup("line", ["class": kind, "x1": start.x, "x2": end.x, "y1": start.y, "y2": end.y])
    }
}
