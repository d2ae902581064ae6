// SPDX-License-Identifier: Apache-2.0

internal import ClientTraffic
internal import ClientVerdicts
internal import LinkProfiles

/// The events of a run on one clock: its conditions and findings, its requests and connections, and its link.
struct TimelineSection {
    let timeline: RunTimeline
    let evidence: Evidence
    /// Whether waiting for a processor may have changed a verdict, so that it is drawn.
    let isBusy: Bool

    var element: Markup {
        let time = timeline.scale
        let connections = ConnectionChart(timeline: timeline, time: time, evidence: evidence)
        let plots = Markup("div", ["class": "plots"], [grid(time)] + rows(time, connections))
        let tools = Markup("div", ["class": "tools", "hidden": ""])
        let scroll = Markup(
            "div",
            ["class": "scroll", "tabindex": "0", "role": "region", "aria-label": "Timeline"],
            [plots]
        )
        let notes = [connections.omission].compactMap { $0 }.map { Markup("p", text: $0) }
        return PageParts.section("What happened", notes + [tools, scroll, Legend.timeline])
    }

    private func rows(_ time: TimeScale, _ connections: ConnectionChart) -> [Markup] {
        let conditions = ConditionsChart(timeline: timeline, time: time, evidence: evidence)
        let carried = CarriedChart(timeline, time)
        var link: [TimelineRow] = []
        if !timeline.history.pieces.isEmpty {
            link.append(carried.rates("To the server", \.uplink, \.uplink.rate))
            link.append(carried.rates("To the client", \.downlink, \.downlink.rate))
        }
        link += carried.losses() + DelayChart(timeline, time).rows + [carried.openConnections()].compactMap { $0 }
        let requests = RequestChart(timeline: timeline, time: time, evidence: evidence)
        let machine = isBusy ? WaitingChart(timeline, time).row : nil
        let groups = [
            requests.group, requests.queries, connections.group,
            TimelineGroup("The link", [], "rows", link.map(\.element)),
            TimelineGroup("The machine", [], "rows", [machine].compactMap { $0?.element }),
        ]
        return [TimelineGroup.clock("Time", [], time)] + conditions.rows.map(\.element)
            + groups.flatMap { $0.elements(time) }
    }

    /// Vertical lines through all rows at changes of conditions, at marks and at findings.
    private func grid(_ time: TimeScale) -> Markup {
        let changes = timeline.periods.dropFirst().prefix(200).map { ("change", $0.begin) }
        let marks = timeline.marks.prefix(200).map { ("mark", $0.time) }
        let found = evidence.findings.prefix(20).compactMap { finding in finding.times.first.map { ("finding", $0) } }
        let lines = (changes + marks + found).map { kind, moment in
            let x = time.position(moment)
            return Markup.line(kind, (x, "0"), (x, "100%"))
        }
        return Markup("svg", ["class": "grid", "width": "100%", "height": "100%", "aria-hidden": "true"], lines)
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
