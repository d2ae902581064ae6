// SPDX-License-Identifier: Apache-2.0

/// The drawing surface of one row of a timeline: as wide as its column, whatever that is, since its horizontal places are
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
        let size = height.figure
        return Markup(
            "svg",
            ["class": "plot", "width": "100%", "height": size, "role": "img", "aria-label": label],
            [title.map { Markup("title", text: $0) }].compactMap { $0 } + elements + notes
        )
    }

    /// A rectangle from one time to another, at least `least` pixels wide; `title` is shown where a pointer rests on it.
    mutating func bar(
        _ kind: String,
        _ begin: Duration,
        _ end: Duration,
        top: Double,
        height: Double,
        title: String? = nil
    ) {
        var bar = Markup(
            "rect",
            [
                "class": kind, "x": time.place(begin), "y": top.figure, "width": time.width(begin, end),
                "height": height.figure,
            ]
        )
        if let title { bar.content = [.element(Markup("title", text: title))] }
        elements.append(bar)
    }

    /// An upright line at a time.
    mutating func tick(_ kind: String, _ moment: Duration, top: Double, height: Double, title: String? = nil) {
        let place = time.place(moment)
        var tick = Markup(
            "line",
            ["class": kind, "x1": place, "x2": place, "y1": top.figure, "y2": (top + height).figure]
        )
        if let title { tick.content = [.element(Markup("title", text: title))] }
        elements.append(tick)
    }

    /// A level line from one time to another.
    mutating func level(_ kind: String, _ begin: Duration, _ end: Duration, at height: Double) {
        elements.append(
            Markup(
                "line",
                [
                    "class": kind, "x1": time.place(begin), "x2": time.place(end), "y1": height.figure,
                    "y2": height.figure,
                ]
            )
        )
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
        var sign = Markup(
            "text",
            ["class": kind, "x": time.place(moment), "y": base.figure, "text-anchor": anchor],
            text: character
        )
        if let title { sign.content.append(.element(Markup("title", text: title))) }
        elements.append(sign)
    }

    /// Text that begins at a time and is cut where another begins.
    mutating func words(_ kind: String, _ text: String, _ begin: Duration, to end: Duration, base: Double) {
        elements.append(
            Markup(
                "svg",
                [
                    "x": time.place(begin), "y": "0", "width": time.width(begin, end), "height": height.figure,
                    "class": "clip",
                ],
                [Markup("text", ["class": kind, "x": "4", "y": base.figure], text: text)]
            )
        )
    }

    /// A text at the left edge, readable on what is drawn there.
    mutating func note(_ text: String, base: Double) {
        notes.append(Markup("text", ["class": "note", "x": "2", "y": base.figure], text: text))
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
