// SPDX-License-Identifier: Apache-2.0

/// The drawing surface of one row of a timeline. It is `height` pixels high, and as wide as its column: horizontal
/// positions are in per cent.
struct Plot {
    let time: TimeScale
    let height: Double
    private var elements: [Markup] = []
    /// Elements that are drawn above all others.
    private var notes: [Markup] = []
    /// Whether the plot has links, which a reader of the screen reaches only inside a group.
    private var hasLinks = false
    /// The lanes below the plot that its labels need.
    private var lanes = LabelLanes.Counts()

    init(_ time: TimeScale, height: Double) { (self.time, self.height) = (time, height) }

    /// The plot as an element. `label` is read by screen readers; `title` is shown when the pointer is on none of the
    /// plot's elements.
    func element(label: String, title: String? = nil) -> Markup {
        let role = hasLinks ? "group" : "img"
        return .drawing(height, label: label, title: title, role: role, lanes: lanes, elements + notes)
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
        notes += Markup.scale(ticks.map { (level(of: $0.share), $0.words) }, height: height)
    }

    /// Adds labels for periods or moments, each where it covers no other, and a line from each to its place below the
    /// plot.
    mutating func labels(_ labels: [LabelLanes.Label], base: Double) {
        for layout in LabelLanes.Layout.allCases {
            let placed = LabelLanes(labels, in: layout).placed
            lanes[layout] = placed.map(\.lane).max() ?? 0
            let parts = placed.flatMap { each -> [Markup] in
                let below = each.lane > 0 ? height + LabelLanes.height * Double(each.lane) - 4 : base
                let attributes: KeyValuePairs = [
                    "class": "words", "x": each.position.figure + "%", "y": below.figure, "dx": "4",
                ]
                let text = Markup("text", attributes, text: each.text)
                let x = each.begin.figure + "%"
                return each.lane == 0 ? [text] : [.line("leader", (x, (height - 2).figure), (x, below.figure)), text]
            }
            notes.append(Markup("g", ["class": layout.rawValue], parts))
        }
    }

    /// Adds a sign centred on a time.
    mutating func sign(_ kind: String, _ character: String, _ moment: Duration, base: Double, title: String? = nil) {
        let attributes: KeyValuePairs = [
            "class": kind, "x": time.position(moment), "y": base.figure, "text-anchor": "middle",
        ]
        elements.append(Markup("text", attributes, text: character).titled(title))
    }

    /// The width of a character in per cent of the narrowest plot, that of a phone.
    private static let characterWidth = 2.4

    /// Adds words beside a bar: after its end or, at the right edge, before its start.
    mutating func note(_ kind: String, _ words: String, beside begin: Duration, _ end: Duration, base: Double) {
        let width = Double(words.count) * Self.characterWidth
        let isAfter = time.percent(end) < 100 - width
        // A bar across the whole plot has no side with room.
        let x = isAfter || time.percent(begin) < width ? end : begin
        let attributes: KeyValuePairs = [
            "class": kind, "x": time.position(x), "y": base.figure, "dx": isAfter ? "4" : "-4",
            "text-anchor": isAfter ? "start" : "end",
        ]
        notes.append(Markup("text", attributes, text: words))
    }

    /// Adds a sign after a time or, at the right edge, before it.
    mutating func endSign(_ character: String, _ moment: Duration, base: Double, title: String) {
        let isAfter = time.percent(moment) < 100 - 2 * Self.characterWidth
        let attributes: KeyValuePairs = [
            "class": "end", "x": time.position(moment), "y": base.figure, "dx": isAfter ? "2" : "-2",
            "text-anchor": isAfter ? "start" : "end",
        ]
        notes.append(Markup("text", attributes, text: character).titled(title))
    }

    /// Adds numbers in circles, each a link to the finding of this number; those of about one time stand side by side.
    mutating func flags(_ flags: [(number: Int, moment: Duration, title: String)]) {
        hasLinks = true
        var last = (percent: -100.0, count: 0)
        for flag in flags.sorted(by: { $0.moment < $1.moment }) {
            let percent = time.percent(flag.moment)
            last = percent - last.percent < 3 ? (last.percent, last.count + 1) : (percent, 0)
            let shift = Double(last.count) * (percent > 80 ? -20 : 20)
            let x = last.percent.figure + "%"
            let circle = Markup("circle", ["cx": x, "cy": "10", "r": "9"])
            let number = Markup("text", ["x": x, "y": "14", "text-anchor": "middle"], text: "\(flag.number)")
            let attributes: KeyValuePairs = [
                "href": "#finding-\(flag.number)", "class": "flag", "transform": "translate(\(shift.figure) 0)",
            ]
            notes.append(Markup("a", attributes, [circle, number]).titled(flag.title))
        }
    }

    /// Adds shapes. The coordinates of `path` are 0 to 1000 across the whole width, and pixels from the top.
    mutating func shape(_ kind: String, _ path: String) {
        guard !path.isEmpty else { return }
        elements.append(.shape(kind, path, height: height))
    }
}

extension Markup {
    /// A drawing with the width of its page or column; `label` is read by screen readers.
    static func drawing(
        _ height: Double,
        label: String,
        title: String? = nil,
        role: String = "img",
        lanes: LabelLanes.Counts = LabelLanes.Counts(),
        _ elements: [Markup]
    ) -> Markup {
        let attributes: KeyValuePairs = [
            "class": lanes.isEmpty ? "plot" : "plot lanes", "width": "100%", "height": height.figure, "role": role,
            "aria-label": label,
        ]
        var drawing = Markup("svg", attributes).titled(title)
        if !lanes.isEmpty { drawing.attributes.append((name: "style", value: lanes.style(height))) }
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

    /// The lines of a vertical scale, with their labels left of the drawing, where they cover nothing. A label that
    /// would touch the one above it is left out.
    static func scale(_ ticks: [(level: Double, words: String)], height: Double) -> [Markup] {
        var last = -Double.infinity
        return ticks.sorted { $0.level < $1.level }.flatMap { level, words -> [Markup] in
            let line = Markup.line("rule", ("0", level.figure), ("100%", level.figure))
            let base = min(max(level + 4, 9), height)
            guard base - last >= 12 else { return [line] }
            last = base
            let attributes: KeyValuePairs = ["class": "note", "x": "-6", "y": base.figure, "text-anchor": "end"]
            return [line, Markup("text", attributes, text: words)]
        }
    }
}
