// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import ClientVerdicts
internal import LinkProfiles

/// report.html of one run.
package struct RunPage {
    let report: RunReport

    package init(_ report: RunReport) { self.report = report }

    package var text: String {
        var sections = [header, findings] + [TestsSection(report: report).element].compactMap { $0 }
        if let timeline = report.timeline {
            sections.append(Self.timeline(timeline))
            sections += [RequestsSection(log: timeline.requests).element].compactMap { $0 }
        }
        if let output = report.output { sections.append(OutputSection(output: output).element) }
        sections += [conditions].compactMap(\.self)
        sections += [PageParts.section("Counted", [PageParts.facts(report.totals.facts)]), context]
        return Page(title: "\(report.word): \(report.title)", sections: sections, version: report.context.version).text
    }

    private var header: Markup {
        PageParts.header(
            report.title,
            [PageParts.badge(report.word), PageParts.command(report.context.command, limit: 600)],
            (["\(report.outcome.sentence), after \(report.duration.words)."]
                + [report.doubtSentence.map { "\($0)." }].compactMap(\.self)
                + report.clockSentences.map { "Note: \($0)." })
                .joined(separator: " ")
        )
    }

    private var findings: Markup {
        guard !report.results.isEmpty else {
            let words = "Nothing was expected of the command: linkcond run --expect 'completes within 30 s'."
            return PageParts.section("Findings", [Markup("p", text: words)])
        }
        let results = report.results.sorted { $0.verdict.urgency < $1.verdict.urgency }
        // Shortened here, so that the timeline is not far down; the last section has the whole command line.
        let repetition = PageParts.repetition("To repeat the run: ", report.context.repetition, limit: 600)
        let list = Markup("ul", ["class": "findings"], results.map(Self.finding))
        return PageParts.section("Findings", [list, repetition])
    }

    private static func finding(_ result: RunReport.Result) -> Markup {
        var parts = [
            Markup("h3", [PageParts.badge(result.verdict.word), PageParts.name(result.expectation, "bdi")]),
            PageParts.name(result.finding, "p"),
        ]
        if let list = result.packetList() {
            parts.append(Markup("p", ["class": "muted"], text: "Packets of packets.pcapng: \(list)"))
        }
        if let remedy = result.remedy { parts.append(PageParts.remedy(remedy)) }
        return Markup("li", parts)
    }

    /// The section on the packets that each part of the conditions met; nil if there are no parts.
    private var conditions: Markup? {
        guard !report.conditions.isEmpty else { return nil }
        let rows = report.conditions.prefix(Self.maximumParts).map { each in
            let met =
                each.part.reason.map { [PageParts.badge(each.verdict.word), PageParts.name(" \($0)")] }
                ?? [PageParts.name("\(each.part.packets)")]
            return Markup("tr", [Markup("td", [PageParts.name(each.part.name)]), Markup("td", met)])
        }
        let table = PageParts.table(
            "Conditions",
            [PageParts.heads(["Part of the conditions", "Packets that it met"])] + rows
        )
        return PageParts.section("Conditions", [table])
    }

    private static let maximumParts = 200

    private static func timeline(_ timeline: RunTimeline) -> Markup {
        let time = timeline.scale
        let carried = CarriedChart(timeline, time)
        var rows = ConditionsChart(timeline: timeline, time: time).rows
        if !timeline.history.pieces.isEmpty {
            rows.append(carried.rates("To the server", \.uplink, \.uplink.rate))
            rows.append(carried.rates("To the client", \.downlink, \.downlink.rate))
        }
        rows += DelayChart(timeline, time).rows + carried.losses() + [carried.openConnections()].compactMap { $0 }
        let connections = ConnectionChart(timeline: timeline, time: time)
        rows += connections.rows
        let plots = Markup("div", ["class": "plots"], [grid(timeline, time)] + rows.map(\.element))
        var parts = [
            Markup("div", ["class": "tools", "hidden": ""]),
            Markup("div", ["class": "scroll", "tabindex": "0", "role": "region", "aria-label": "Timeline"], [plots]),
            legend,
        ]
        if timeline.connectionCount > timeline.connections.count {
            let words = """
                \(timeline.connections.count) of \(timeline.connectionCount) connections are shown: those that findings \
                name, then those without an answer, then the longest. The other figures count all.
                """
            parts.insert(Markup("p", text: words), at: 0)
        }
        if let words = connections.omission { parts.insert(Markup("p", text: words), at: 0) }
        return PageParts.section("What happened", parts)
    }

    /// Vertical lines through all rows at changes of conditions and at marks.
    private static func grid(_ timeline: RunTimeline, _ time: TimeScale) -> Markup {
        let changes = timeline.periods.dropFirst().prefix(200).map { ("change", $0.begin) }
        let marks = timeline.marks.prefix(200).map { ("mark", $0.time) }
        let lines = (changes + marks).map { kind, moment in
            let x = time.position(moment)
            return Markup.line(kind, (x, "0"), (x, "100%"))
        }
        return Markup("svg", ["class": "grid", "width": "100%", "height": "100%", "aria-hidden": "true"], lines)
    }

    private static var legend: Markup {
        let words = """
            A connection: thin while it is asked for, with a stroke for each attempt; then open without an answer; thick \
            from the first answer on; a gap where nothing arrived for a second or more. Strokes above: sent again by the \
            client; below: by the server. • marks a request of HTTP. ◀ closed by the client, ▶ by the server, ✕ reset, ? given up, → open at the \
            end. Dashed line: the rate or the delay that the profile asks for. Delays and round trips: the thick line is the \
            median of the packets of a moment, the thin line the time within which 95 % of them arrived, the band \
            reaches from the shortest to the longest; nothing is drawn where no packet arrived. The three rows have one \
            scale. Round trips are those of open connections; ○ marks those of handshakes.
            """
        return Markup("p", ["class": "muted"], text: words)
    }

    private var context: Markup {
        let conditions = report.context.conditions.map { name, value in
            (name: name.prefix(1).uppercased() + name.dropFirst(), value: value)
        }
        let line = Markup("p", [PageParts.command(report.context.repetition)])
        return PageParts.section("The run", [PageParts.facts(conditions + [("Begin", report.beginText)]), line])
    }
}

extension RunTimeline {
    /// The period that plots show: the whole run, and the captured traffic before and after it.
    var scale: TimeScale {
        let last = time(ofPiece: history.pieces.count)
        let isSeen = !history.pieces.isEmpty
        return TimeScale(begin: min(.zero, isSeen ? historyBegin : .zero), end: max(duration, isSeen ? last : .zero))
    }
}
