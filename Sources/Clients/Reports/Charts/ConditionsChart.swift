// SPDX-License-Identifier: Apache-2.0

internal import ClientVerdicts
internal import LinkProfiles

/// The rows for the conditions, the marks, the findings and the monitor.
struct ConditionsChart {
    let timeline: RunTimeline
    let time: TimeScale
    let evidence: Evidence

    /// A note for a row that draws only the first `limit` of `count` items.
    private func omission(of count: Int, limit: Int = RunTimeline.listLimit) -> [String] {
        count > limit ? ["the first \(limit) of \(count) are drawn"] : []
    }

    var rows: [TimelineRow] { [conditions, marks, findings].compactMap { $0 } + monitor }

    /// A row for each target of a monitor.
    private var monitor: [TimelineRow] {
        var known: Set<String> = []
        let targets = timeline.bands.map(\.verdict.target).filter { known.insert($0).inserted }
        let shown = targets.prefix(20)
        let limit = RunTimeline.listLimit / max(shown.count, 1)
        return shown.map { target in
            var plot = Plot(time, height: 20)
            let bands = timeline.bands.filter { $0.verdict.target == target }
            for band in bands.prefix(limit) {
                let kind = band.verdict.isReachable ? "up" : "down"
                plot.bar(kind, band.begin, band.end, top: 2, height: 16, title: band.title)
            }
            plot.labels(bands.prefix(limit).map { bar($0.verdict.status, $0.begin, $0.end) }, base: 14)
            let label = bands.prefix(limit).map(\.title).joined(separator: "; ")
            let facts = omission(of: bands.count, limit: limit)
            return plot.row("Monitor: \(target)", facts, label: "Monitor of \(target): \(label)")
        }
    }

    private func bar(_ text: String, _ begin: Duration, _ end: Duration) -> LabelLanes.Label {
        LabelLanes.Label(text: text, begin: time.percent(begin), end: time.percent(end))
    }

    private var conditions: TimelineRow {
        var plot = Plot(time, height: 22)
        let periods = timeline.periods.prefix(RunTimeline.listLimit)
        for (index, period) in periods.enumerated() where period.end > period.begin {
            let kind = index.isMultiple(of: 2) ? "period" : "period other"
            plot.bar(kind, period.begin, period.end, top: 1, height: 20, title: period.title)
        }
        let named = periods.filter { $0.end > $0.begin }
        plot.labels(named.map { bar($0.words, $0.begin, $0.end) }, base: 15)
        let label = periods.map(\.title).joined(separator: "; ")
        return plot.row("Conditions", omission(of: timeline.periods.count), label: "Conditions: \(label)")
    }

    private var marks: TimelineRow? {
        guard !timeline.marks.isEmpty else { return nil }
        var plot = Plot(time, height: 20)
        let marks = timeline.marks.prefix(RunTimeline.listLimit)
        for mark in marks {
            let title = "\(mark.name.shortened(to: 200)): \(mark.time.words)"
            plot.tick("mark", mark.time, top: 0, height: 20, title: title)
        }
        let ends = marks.dropFirst().map(\.time) + [time.end]
        plot.labels(zip(marks, ends).map { bar($0.name, $0.time, $1) }, base: 14)
        let label = marks.map { "\($0.name) at \($0.time.words)" }.joined(separator: "; ")
        return plot.row("Marks", omission(of: timeline.marks.count), label: "Marks: \(label)")
    }

    /// A flag for each finding at its first packet, and strokes at its other packets; nil if no packet is known.
    private var findings: TimelineRow? {
        let found = evidence.findings.filter { !$0.times.isEmpty }
        guard !found.isEmpty else { return nil }
        var plot = Plot(time, height: 20)
        for finding in found {
            for moment in finding.times.dropFirst() { plot.tick("found", moment, top: 4, height: 12) }
        }
        plot.flags(found.map { ($0.number, $0.times[0], $0.title) })
        let label = found.map { "\($0.number) at \($0.times[0].words): \($0.title)" }.joined(separator: "; ")
        return plot.row("Findings", label: "Findings: \(label)")
    }
}

extension RunTimeline.Band {
    /// The verdict, with its period.
    fileprivate var title: String {
        let reason = verdict.reason.map { " (\($0.shortened(to: 200)))" } ?? ""
        return "\(verdict.status)\(reason) from \(begin.words) to \(end.words)"
    }
}

extension RunTimeline.Period {
    /// A short name for the conditions.
    var name: String { label ?? profile ?? "no conditions" }

    /// The step's label and the profile: "in the lift: Black Hole".
    fileprivate var words: String {
        guard let label else { return name.shortened(to: 100) }
        let rest = ([profile].compactMap { $0 } + changes).filter { $0 != label }
        return rest.isEmpty ? label : "\(label.shortened(to: 100)): \(rest.joined(separator: ", ").shortened(to: 100))"
    }

    /// The conditions, with their period.
    var title: String {
        let conditions = ([profile ?? "no conditions"] + changes).joined(separator: ", ")
        let words = label.map { "\($0) (\(conditions))" } ?? name
        return "\(words.shortened(to: 200)) from \(begin.words) to \(end.words)"
    }
}
