// SPDX-License-Identifier: Apache-2.0

/// The signs of a drawing, each drawn beside its meaning.
enum Legend {
    private static let (width, height) = (56.0, 22.0)

    /// The legend of a timeline, in three parts.
    static var timeline: Markup {
        let requests = [
            item("no answer yet", [bar("waiting", 4, 28, 6, 8), bar("answered ghost", 28, 52, 4, 12)]),
            item("the answer arrives", [bar("answered", 4, 52, 4, 12)]),
            item("never answered", [bar("waiting unanswered", 4, 52, 6, 8)]),
            item("the answer stops half-way", [bar("answered partly", 4, 52, 4, 12)]),
        ]
        let connections = [
            item(
                "asked for; a stroke for each attempt",
                [bar("connecting", 4, 52, 8, 6), line("attempt", 4, 2, 18), line("attempt", 24, 2, 18)]
            ),
            item("open, no answer yet", [bar("waiting", 4, 52, 6, 10)]),
            item("from the first answer on", [bar("answered", 4, 52, 4, 14)]),
            item("nothing arrives for 1 s or more", [bar("answered", 4, 52, 4, 14), bar("silence", 16, 44, 9, 4)]),
            item(
                "sent again, by the client and by the server",
                [bar("answered", 4, 52, 4, 14), line("again", 18, 0, 5), line("again", 38, 17, 5)]
            ),
            item("an HTTP request", [bar("answered", 4, 52, 4, 14), sign("end request", "•", 28, 16)]),
            signs("◀ ▶", "closed by the client, by the server"), signs("✕", "reset"), signs("?", "given up"),
            signs("→", "open at the end"),
        ]
        let link = [
            item("asked for by the profile", [line("asked", (4, 11), (52, 11))]),
            item("median delay", [line("median downlink", (4, 11), (52, 11))]),
            item("95 % arrive within", [line("high downlink", (4, 11), (52, 11))]),
            item("shortest to longest", [bar("band downlink", 4, 52, 3, 16)]),
            item("a handshake", [sign("trip", "○", 28, 15)]),
        ]
        let head = [
            item("conditions change", [line("change", 28, 0, 22)]), item("a mark", [line("mark", 28, 0, 22)]),
            item("a finding", [line("finding", 28, 0, 22)]),
        ]
        let parts = [("The clock", head), ("Requests", requests), ("Connections", connections), ("The link", link)]
        let lists = parts.map { name, items in
            Markup("div", [Markup("h3", text: name), Markup("ul", items)])
        }
        return Markup("details", ["class": "legend", "open": ""], [Markup("summary", text: "Legend")] + lists)
    }

    /// A list of drawings with their meanings.
    static func list(_ items: [Markup]) -> Markup { Markup("ul", ["class": "legend"], items) }

    /// A drawing and its meaning.
    static func item(_ words: String, _ parts: [Markup]) -> Markup {
        let attributes: KeyValuePairs = [
            "width": width.figure, "height": height.figure, "viewBox": "0 0 \(width.figure) \(height.figure)",
            "aria-hidden": "true",
        ]
        return Markup("li", [Markup("svg", attributes, parts), Markup("span", text: words)])
    }

    private static func signs(_ signs: String, _ words: String) -> Markup {
        item(words, [sign("end", signs, width / 2, 16)])
    }

    static func bar(_ kind: String, _ left: Double, _ right: Double, _ top: Double, _ height: Double) -> Markup {
        Markup(
            "rect",
            [
                "class": kind, "x": left.figure, "y": top.figure, "width": (right - left).figure,
                "height": height.figure,
            ]
        )
    }

    private static func line(_ kind: String, _ x: Double, _ top: Double, _ height: Double) -> Markup {
        line(kind, (x, top), (x, top + height))
    }

    static func line(_ kind: String, _ start: (Double, Double), _ end: (Double, Double)) -> Markup {
        .line(kind, (start.0.figure, start.1.figure), (end.0.figure, end.1.figure))
    }

    private static func sign(_ kind: String, _ character: String, _ x: Double, _ base: Double) -> Markup {
        Markup("text", ["class": kind, "x": x.figure, "y": base.figure, "text-anchor": "middle"], text: character)
    }
}
